// Scores: what several runs say together, and how one does class by class.
#pragma once

#include <glgnn/dataset.h>
#include <glgnn/metrics.h>
#include <glgnn/model.h>

#include <cstdint>
#include <string>
#include <vector>

namespace glgnn::cli {

// Numbers about numbers: what several runs say together.

double mean_of(const std::vector<double>& values);
// Of a sample; 0 for a single value.
double deviation_of(const std::vector<double>& values);

// Half the 95 % interval of the mean over runs whose training rows overlap (Nadeau and Bengio,
// 2003): the runs' variance times 1/runs + test/train rows, the latter at most 1, as few labels
// overlap little. 0 for a single run.
double interval_of(const std::vector<double>& values, double test_to_train);

// Something that was given a score, and whether it is one of those sought.
struct Scored {
  double score = 0;
  bool is_true = false;
};

// The chance that one sought has a higher score than one that is not; the same score counts half.
// Beside the list, so many of both have the score 0, which is the lowest. 0.5 without either.
double area_under_curve(std::vector<Scored> list, int64_t zeros_true, int64_t zeros_false);

// How a model does on the test rows, class by class.

// Counts of the test rows whose label is known.
ConfusionMatrix test_confusion(const Model& model);

// The classes that have rows: in their own order, or, where they are many, the worst recalls first.
// Printed on the standard output.
void print_class_table(const ConfusionMatrix& confusion, const std::vector<std::string>& names);

// One sentence where some class has under a tenth of another's training rows and the settings do
// not make up for it; else empty.
std::string balance_note(const Dataset& dataset, const Split& split, const Config& config);

}  // namespace glgnn::cli
