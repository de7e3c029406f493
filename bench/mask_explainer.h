// GNNExplainer's way, to be compared with: soft masks over a row's edges and features, optimised so
// that the prediction stays and the masks are small and decided (Ying et al. 2019, equations 4-6).
#pragma once

#include <cstdint>

#include "model/explanation_set.h"

namespace glgnn {

struct MaskOptions {
  int64_t steps = 100;
  double learning_rate = 0.1;
  double edge_size = 0.005, feature_size = 1.0;  // weights of the masks' sizes
  double edge_entropy = 1.0, feature_entropy = 0.1;
  uint64_t seed = 0;  // of the masks' start
};

// The masks after the last step, as importances. Gradients are differences of the model.
Importance optimised_masks(const LocalRow& row, const Judge& judge, const MaskOptions& options);

// Every edge and feature gets a random importance.
Importance random_importance(const LocalRow& row, uint64_t seed);

}  // namespace glgnn
