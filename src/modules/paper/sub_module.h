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
  Parameter& column_pairs() { return pairs_; }
  Parameter& column_shares() { return shares_; }

  // With a graph of the columns, of these parameters: makes W1 what the first layer used. The lines
  // of the answer are pairs: a column, another that is heard beside it, and its share, that of the
  // column itself being 1.
  Matrix settle_columns(const Matrix& pairs, const Matrix& shares, Matrix& w1) const;

  NeighbourCache& neighbours() { return neighbours_; }

 private:
  RowsVar select_features(Tape& tape, const ShownLabels& labels);
  SparseVar learn_graph(Tape& tape, const ShownLabels& labels, const Pass& pass);
  bool needs_second_graph() const;
  SparseVar second_graph(Tape& tape, const ShownLabels& labels, Var hidden, const Pass& pass);
  SparseVar rescale(Tape& tape, SparseVar a);
  SparseVar normalise(Tape& tape, SparseVar a);
  Var with_bias(Tape& tape, Var x, Parameter& b);
  SparseVar column_graph(Tape& tape, Var pairs) const;
  Var heard_weights(Tape& tape, Var w1, const SparseVar& columns, Var shares) const;
  Var first_layer_input(Tape& tape, const Pass& pass);

  const Config& config_;
  const Inputs& inputs_;
  uint32_t number_;
  Parameter s_, w1_, w2_, v_, b1_, b2_;  // the biases are read where there are any
  Parameter pairs_, shares_;             // of the graph of the columns, likewise
  Csr hop_graph_;
  std::shared_ptr<HopPairs> hops_;  // modules that read the hops of one given graph share them
  NeighbourCache neighbours_;
};

}  // namespace glgnn
