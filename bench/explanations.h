// How good explanations are, beside other ways to explain.
#pragma once

#include <glgnn/context.h>
#include <glgnn/model.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/explanation_set.h"

namespace glgnn {

// GNNExplainer's way, to be compared with: soft masks over a row's edges and features, optimised so
// that the prediction stays and the masks are small and decided (Ying et al. 2019, equations 4-6).

struct MaskOptions {
  int64_t steps = 100;
  double learning_rate = 0.1;
  double edge_size = 0.005, feature_size = 1.0;  // weights of the masks' sizes
  double edge_entropy = 1.0, feature_entropy = 0.1;
  uint64_t seed = 0;  // of the masks' start
};

// The masks after the last step, as importances. `slope` gives the gradient of -log p in each mask,
// p being the probability of the predicted class. The authors keep a mask for each ordered pair of
// the `rows` that the edges join: the start and the mean entropy are those of so many.
Importance learn_masks(size_t edges, size_t features, size_t rows, const MaskOptions& options,
                       const std::function<Importance(const Masks&)>& slope);

// Of a row of our own model, by differences.
Importance optimised_masks(const LocalRow& row, const Judge& judge, const MaskOptions& options);

// Every edge and feature gets a random importance.
Importance random_importance(const LocalRow& row, uint64_t seed);

// How good explanations are: ours, GNNExplainer's way and random picks, of the same size.

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

// How faithful and stable explanations of a fitted model are, beside optimised masks and random
// picks; or how well explanations find the motifs of a graph. Printed as a table or as JSON.

namespace bench {

struct CompareOptions {
  std::string model;  // a file, ba-shapes or tree-cycles
  int64_t rows = 20;  // drawn by chance, the same every time
  int64_t seeds = 3;  // of the methods that have one
  bool json = false;
};

// The exit status.
int compare_explanations(const CompareOptions& options, const Context& context);

}  // namespace bench
}  // namespace glgnn
