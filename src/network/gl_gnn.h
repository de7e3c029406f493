// The whole model: M sub-modules and the network of graphs between them.
#pragma once

#include <glgnn/config.h>
#include <glgnn/csr.h>
#include <glgnn/trainer.h>

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "modules/paper/inputs.h"
#include "modules/paper/sub_module.h"
#include "ops/ops.h"

namespace glgnn {

// The network of graphs: an aggregation module that learns how much each sub-module counts.

struct GraphNetworkOutput {
  Var network;  // N = alpha B, (M + 1) x (M + 1); the aggregation module is last
  Var logits;   // sum_m N_agg,m X2_m + N_agg,agg X_agg; its softmax is the prediction Y
};

// Where processes own the rows: how the mean over own rows becomes that over all rows, and how a
// value that all processes have alike gets its gradient from all of them.
struct NetworkOverRanks {
  std::function<Var(Var)> mean_of_all, alike{};
};

class GraphNetwork {
 public:
  GraphNetwork(const Config& config, const Inputs& inputs);

  GraphNetworkOutput forward(Tape& tape, std::span<const Var> predictions,
                             const NetworkOverRanks& over = {});

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

struct GlGnnOutput {
  std::vector<SubModuleOutput> modules;
  GraphNetworkOutput network;
};

struct LossTerms {
  double graph = 0, entropy = 0, decay = 0;  // weighted
  double total() const { return graph + entropy + decay; }
};

class GlGnn {
 public:
  // Problem and config must outlive the model.
  GlGnn(const Problem& problem, const Config& config, const Context& context);

  GlGnnOutput forward(Tape& tape, const Pass& pass);
  // The loss of a training pass; its gradient is put on the tape.
  LossTerms loss(Tape& tape, const GlGnnOutput& out);
  // After a training step: keeps what the next epoch reads (the previous prediction, and hop graphs
  // if neighbours were chosen anew: between two choices they stay, too).
  void finish_epoch(const GlGnnOutput& out, bool chosen = true);

  std::vector<Parameter*> parameters();
  std::deque<SubModule>& modules() { return modules_; }
  GraphNetwork& network() { return network_; }
  const Inputs& inputs() const { return inputs_; }
  // After a step of the optimiser: brings s back to where the readings want it.
  void finish_step();

 private:
  ShownLabels shown_labels(const Pass& pass) const;
  double cross_entropy_of(Tape& tape, Var logits);

  const Config& config_;
  Context context_;
  Inputs inputs_;
  Matrix targets_, row_weights_;  // of the training rows, where every class counts alike
  std::deque<SubModule> modules_;
  GraphNetwork network_;
};

// A value on the tape as a matrix of its own.
Csr to_csr(const SparseVar& a);

}  // namespace glgnn
