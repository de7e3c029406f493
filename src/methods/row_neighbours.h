// Distances of rows, their Gaussian kernel, and the graph of nearest rows for the methods that have
// no other.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/dataset.h>
#include <glgnn/matrix.h>

#include <vector>

#include "methods/method.h"

namespace glgnn {

// gamma: how fast similarity falls; 1 is the mean squared distance of the rows.
std::vector<MethodSetting> kernel_settings();

// The mean of |x_i - x_j|^2 over all pairs.
double mean_squared_distance(const Features& x);

// |x_i - x_j|^2
double squared_distance(const Features& x, int64_t i, int64_t j);

// The same of each pair of a pattern, in units of that mean.
Matrix pair_distances(const Features& x, const Pattern& pairs);

// exp(-gamma |x_i - x_j|^2 / m), m the mean of |x_i - x_j|^2 over all pairs. N x N: for
// the methods that cannot do without it.
Matrix gaussian_kernel(const Features& x, double gamma, int threads);

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
