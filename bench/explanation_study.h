// How good explanations are: ours, GNNExplainer's way and random picks, of the same size.
#pragma once

#include <glgnn/context.h>
#include <glgnn/model.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace glgnn {

struct StudyOptions {
  std::vector<int32_t> rows;                 // whose predictions are explained
  int64_t seeds = 3;                         // of the ways that have one
  std::function<bool(int64_t done)> on_row;  // false: stop
};

// Means over the rows and seeds; their standard deviations over the rows.
struct StudyLine {
  std::string method;  // "one at a time", "optimised masks", "random"
  double fidelity_plus = 0, fidelity_plus_sd = 0;
  double fidelity_minus = 0, fidelity_minus_sd = 0;
  double sparsity = 0;
  double stability = 0;  // what two seeds have in common, of what either has; 1: always the same
  double seconds = 0;    // of one explanation
};

// Of each row, all methods name as many edges and features as the smallest set that ours finds.
std::vector<StudyLine> study_explanations(const Model& model, const StudyOptions& options,
                                          const Context& context);

}  // namespace glgnn
