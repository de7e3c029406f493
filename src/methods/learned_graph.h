// Graphs whose edges are learned. Only some pairs may have an edge, so that memory grows with those
// pairs and not with all.
#pragma once

#include <glgnn/csr.h>

#include <memory>
#include <vector>

#include "methods/network.h"

namespace glgnn {

// The given graph where there is one, else the k nearest rows, both ways; every edge weighs 1.
// Reads neighbour_settings().
Csr start_graph(const MethodTask& task);

Csr no_edges(int64_t rows);

// The pairs of `others` join a graph with the weight 0.
Csr with_pairs(const Csr& graph, const SharedPattern& others);

// One number for each pair of a symmetric graph: its entries above the diagonal.
Csr upper_half(const Csr& graph);
Csr both_halves(const Csr& upper);

// D^-1/2 (A + I) D^-1/2 of such numbers, A_ij = A_ji.
SparseVar normalised_pairs(Tape& tape, const std::shared_ptr<PatternWork>& pairs, Var values);

// The pairs of nearest rows of what is learned, and those of a graph that always stay. They are
// chosen anew every few epochs of training: all pairs are compared then.
class NearestPairs {
 public:
  NearestPairs(int64_t k, Csr always);

  // `rows` have the length 1.
  void choose(Tape& tape, const RowsVar& rows, const NetworkPass& pass);
  const std::shared_ptr<PatternWork>& work() const { return work_; }
  const SharedPattern& pattern() const { return work_->pattern(); }
  // What each pair weighs in the graph that always stays.
  const Matrix& always() const { return always_values_; }

 private:
  int64_t k_;
  Csr always_;
  Matrix always_values_;
  std::shared_ptr<PatternWork> work_;
};

}  // namespace glgnn
