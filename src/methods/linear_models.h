// Linear classifiers, one class against all others, solved by liblinear. Its solvers in the primal
// draw no random numbers.
#pragma once

#include <glgnn/matrix.h>
#include <glgnn/trainer.h>

#include <vector>

#include "methods/method.h"

namespace glgnn {

enum class LinearLoss { kLogistic, kSquaredHinge };

// Learned from the training rows with a bias; `cost` of an error beside the squared weights (C).
// N x C: probabilities, or for kSquaredHinge softmax of the distances.
Matrix fit_linear(const Features& x, const Problem& problem, LinearLoss loss, double cost);

std::vector<MethodSetting> cost_settings();

}  // namespace glgnn
