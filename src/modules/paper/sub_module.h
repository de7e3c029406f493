// One sub-module: selects features, learns a graph of the rows with them, and classifies over it.
#pragma once

#include <glgnn/config.h>
#include <glgnn/csr.h>

#include <memory>
#include <vector>

#include "modules/paper/inputs.h"
#include "modules/paper/neighbour_cache.h"
#include "ops/ops.h"

namespace glgnn {

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
  void set_hop_graph(const Csr& graph);
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

  NeighbourCache& neighbours() { return neighbours_; }

 private:
  RowsVar select_features(Tape& tape, const ShownLabels& labels);
  SparseVar learn_graph(Tape& tape, const ShownLabels& labels, const Pass& pass);
  bool needs_second_graph() const;
  SparseVar second_graph(Tape& tape, const ShownLabels& labels, Var hidden, const Pass& pass);
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
  NeighbourCache neighbours_;
};

}  // namespace glgnn
