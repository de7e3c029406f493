// Numbers about numbers: what several runs say together.
#pragma once

#include <vector>

namespace glgnn::cli {

double mean_of(const std::vector<double>& values);
// Of a sample; 0 for a single value.
double deviation_of(const std::vector<double>& values);

// Half the 95 % interval of the mean over runs whose training rows overlap (Nadeau and Bengio,
// 2003): the runs' variance times 1/runs + test/train rows, the latter at most 1, as few labels
// overlap little. 0 for a single run.
double interval_of(const std::vector<double>& values, double test_to_train);

}  // namespace glgnn::cli
