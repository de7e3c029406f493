// Eigen without threads of its own: its sums depend on how many it takes, and heads run several at
// once.
#pragma once

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Dense>
