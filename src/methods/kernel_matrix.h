// The Gaussian kernel of all pairs of rows, for the methods that cannot do without it.
#pragma once

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

// exp(-gamma |x_i - x_j|^2 / m), m the mean of |x_i - x_j|^2 over all pairs. N x N.
Matrix gaussian_kernel(const Features& x, double gamma, int threads);

}  // namespace glgnn
