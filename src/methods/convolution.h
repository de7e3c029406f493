// Two layers with a step over a graph in each: relu(S X W1) , S H W2. The networks that differ in
// their graph alone share this.
#pragma once

#include <glgnn/csr.h>

#include <functional>
#include <vector>

#include "methods/method.h"
#include "ops/tape.h"

namespace glgnn {

// S h for a constant graph S.
using Spread = std::function<Var(Tape&, Var h)>;

// Reads convolution_settings(). With `taught` (N x C) every row is taught by it, not the training
// rows alone by their labels.
MethodAnswer fit_two_layers(const MethodTask& task, const Spread& spread,
                            const Matrix* taught = nullptr);
std::vector<MethodSetting> convolution_settings();

// D^-1/2 (A + I) D^-1/2 of a symmetric graph.
Csr normalised_graph(const Csr& graph);

// A step over a graph that is its own transpose.
Spread spread_over(Csr graph);

}  // namespace glgnn
