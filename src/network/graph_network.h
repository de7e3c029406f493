// The network of graphs: an aggregation module that learns how much each sub-module counts.
#pragma once

#include <glgnn/config.h>

#include <span>
#include <vector>

#include "modules/paper/inputs.h"
#include "ops/ops.h"

namespace glgnn {

struct GraphNetworkOutput {
  Var network;  // N = alpha B, (M + 1) x (M + 1); the aggregation module is last
  Var logits;   // sum_m N_agg,m X2_m + N_agg,agg X_agg; its softmax is the prediction Y
};

class GraphNetwork {
 public:
  GraphNetwork(const Config& config, const Inputs& inputs);

  GraphNetworkOutput forward(Tape& tape, std::span<const Var> predictions);

  // The trained parameters; which there are depends on the readings chosen.
  std::vector<Parameter*> parameters();
  // The previous prediction, read by the reading `aggregation = previous`.
  Matrix& previous() { return previous_; }

 private:
  Var aggregation_module(Tape& tape, std::span<const Var> predictions);

  const Config& config_;
  Parameter agg_, a_, b_;
  Matrix previous_;
  Matrix mean_weights_;  // 1 x M, each 1 / M
};

}  // namespace glgnn
