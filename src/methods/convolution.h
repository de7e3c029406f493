// Two layers with a step over a graph in each: relu(S X W1) , S H W2. The networks that differ in
// their graph alone share this.
#pragma once

#include <glgnn/csr.h>

#include <functional>
#include <vector>

#include "methods/network.h"

namespace glgnn {

// S h for a graph S.
using Spread = std::function<Var(Tape&, Var h)>;

// The weights of two layers.
class GraphLayers {
 public:
  // `number` tells the networks of one method apart. The features must outlive this.
  GraphLayers(const Features& x, int64_t hidden, int64_t out, uint64_t seed, uint32_t number = 0);

  void join(Network& network);
  const InputRows& input() const { return input_; }

  // relu(S drop(X) W1 + b1)
  Var hidden(Tape& tape, const NetworkPass& pass, const Spread& spread);
  // S drop(h) W2 + b2
  Var out(Tape& tape, const NetworkPass& pass, const Spread& spread, Var h);
  // One after the other.
  Var logits(Tape& tape, const NetworkPass& pass, const Spread& spread);

 private:
  InputRows input_;
  uint32_t number_;
  Parameter w1_, b1_, w2_, b2_;
};

// Reads convolution_settings(). With `taught` (N x C) every row is taught by it, not the training
// rows alone by their labels.
MethodAnswer fit_two_layers(const MethodTask& task, const Spread& spread,
                            const Matrix* taught = nullptr);
std::vector<MethodSetting> convolution_settings();

// D^-1/2 (A + I) D^-1/2 of a symmetric graph.
Csr normalised_graph(const Csr& graph);

// A step over a constant graph that is its own transpose, or over one of the pass.
Spread spread_over(Csr graph);
Spread spread_over(SparseVar graph);

}  // namespace glgnn
