// `glgnn evaluate` as a child of this program: its time and its memory are its own, and a failure
// ends nothing but itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/json.h"

namespace glgnn::cli {

struct ChildAnswer {
  int status = 0;
  std::string result;  // the JSON object of `evaluate --json`; empty on failure
  std::string fault;   // its last line, on failure
};

// Runs `evaluate` with these arguments, --json and --quiet.
ChildAnswer ask_evaluate(std::vector<std::string> arguments);

double mean_of(const std::vector<double>& values);
// Of a sample; 0 for a single value.
double deviation_of(const std::vector<double>& values);

// Half the 95 % interval of the mean over runs whose training rows overlap (Nadeau and Bengio,
// 2003): the runs' variance times 1/runs + test/train rows, the latter at most 1, as few labels
// overlap little. 0 for a single run.
double interval_of(const std::vector<double>& values, double test_to_train);

}  // namespace glgnn::cli
