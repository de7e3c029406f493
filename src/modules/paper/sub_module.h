// One sub-module: selects features, learns a graph of the rows with them, and classifies over it.
#pragma once

#include <glgnn/config.h>
#include <glgnn/csr.h>

#include <memory>
#include <vector>

#include "modules/paper/inputs.h"
#include "ops/ops.h"

namespace glgnn {

// What one forward pass of the whole model is for.
struct Pass {
  bool training = false;  // dropout, and the second graph for the loss
  uint32_t epoch = 0;     // of the random numbers
  bool choose = true;     // choose neighbours anew, or only recompute the kept similarities
};

struct SubModuleOutput {
  SparseVar graph;         // A'
  SparseVar second_graph;  // A1'; training only, and where the loss or the hops need it
  Var prediction;          // X2, rows of class probabilities
};

class SubModule {
 public:
  SubModule(const Config& config, const Inputs& inputs, uint32_t number);

  SubModuleOutput forward(Tape& tape, const ShownLabels& labels, const Pass& pass);

  // Between epochs: takes the graph that the next epoch's hops are read from.
  void set_hop_graph(const Csr& graph, int threads);
  // Takes the hop graph of another module, and the hops found in it.
  void share_hop_graph(const SubModule& other);
  // The graph this module's hops were read from last; empty before the first.
  const Csr& hop_graph() const { return hop_graph_; }

  std::vector<Parameter*> parameters();
  Parameter& selection() { return s_; }
  Parameter& first_weights() { return w1_; }
  Parameter& second_weights() { return w2_; }
  Parameter& first_bias() { return b1_; }
  Parameter& second_bias() { return b2_; }

  // The neighbours and row normalisers of the last choice, kept between refreshes and in
  // checkpoints.
  struct KeptChoice {
    SharedPattern pattern;
    Matrix lse;
    std::shared_ptr<PatternWork> work = nullptr;  // not in checkpoints: it is made again
  };
  KeptChoice& kept_choice(bool training) { return kept_[training]; }
  SharedPattern& second_choice() { return second_choice_; }

  // Says that parameters have changed, so that no choice made before holds any more.
  void forget_label_free_choice() { label_free_ = false; }
  bool& has_label_free_choice() { return label_free_; }

 private:
  RowsVar select_features(Tape& tape, const ShownLabels& labels);
  SparseVar learn_graph(Tape& tape, const ShownLabels& labels, const Pass& pass);
  Choice choose(Tape& tape, const RowsVar& z, Var hop_weights, const ShownLabels& labels,
                const Pass& pass);
  bool needs_all_rows_sum() const;
  bool labels_only_add() const;
  bool needs_second_graph() const;
  SparseVar second_graph(Tape& tape, const ShownLabels& labels, Var hidden, const Pass& pass);
  std::shared_ptr<PatternWork> kept_work(std::shared_ptr<PatternWork>& work,
                                         const SharedPattern& pattern) const;
  SparseVar rescale(Tape& tape, SparseVar a);
  SparseVar normalise(Tape& tape, SparseVar a);
  Var with_bias(Tape& tape, Var x, Parameter& b);
  Var first_layer_input(Tape& tape, const Pass& pass);

  const Config& config_;
  const Inputs& inputs_;
  uint32_t number_;
  Parameter s_, w1_, w2_, v_, b1_, b2_;  // the biases are read where there are any
  Csr hop_graph_;
  std::shared_ptr<HopPairs> hops_;  // modules that read the hops of one given graph share them
  std::shared_ptr<PatternWork> second_work_;
  SharedPattern second_choice_;  // of the last second graph, kept between refreshes
  KeptChoice kept_[2];           // of evaluation and of training: they see different labels
  // Whether kept_[0] was made without labels, with the present parameters and hops: the next
  // training pass then need not compare all rows again.
  bool label_free_ = false;
};

}  // namespace glgnn
