// The graph of nearest rows, for the methods that have no other.
#pragma once

#include <glgnn/csr.h>

#include <vector>

#include "methods/method.h"

namespace glgnn {

// k and cosine.
std::vector<MethodSetting> neighbour_settings();

// D^-1/2 (A + self I) D^-1/2 with A the mean of "j is among the k nearest of i" and its transpose;
// symmetric.
Csr neighbour_graph(const MethodTask& task, double self_weight = 1);

// k, cosine and gamma.
std::vector<MethodSetting> weighted_settings();

// The given graph where there is one; else the k nearest rows, both ways, weighted by a Gaussian of
// the distance. No self-loops.
Csr weighted_graph(const MethodTask& task);

// Divides each entry by the sum of its row, or by the roots of the sums of its row and its column;
// the diagonal is empty.
enum class Divide { kByRow, kByBoth };
Csr divided(Csr graph, Divide how);

}  // namespace glgnn
