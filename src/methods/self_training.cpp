// Logistic regression that learns from its own sure answers.
#include <algorithm>

#include "methods/linear_models.h"
#include "methods/methods.h"
#include "methods/network.h"

namespace glgnn {
namespace {

MethodAnswer fit_self_training(const MethodTask& task) {
  const Features& x = *task.problem.features;
  const auto rounds = task.count("rounds");
  const double sure = task.value("sure"), cost = task.value("cost");
  Problem taught = task.problem;  // grows by what it is sure of
  std::vector<bool> teaches(static_cast<size_t>(x.rows()), false);
  for (const int32_t row : taught.train) teaches[row] = true;
  Matrix p = fit_linear(x, taught, LinearLoss::kLogistic, cost);
  for (int64_t round = 0; round < rounds; ++round) {
    const size_t before = taught.train.size();
    for (int32_t i = 0; i < x.rows(); ++i) {
      const float* best = std::max_element(p[i], p[i] + p.cols());
      if (teaches[i] || *best < sure) continue;
      teaches[i] = true;
      taught.train.push_back(i);
      taught.labels[i] = static_cast<int32_t>(best - p[i]);
    }
    if (taught.train.size() == before) break;
    p = fit_linear(x, taught, LinearLoss::kLogistic, cost);
  }
  return {std::move(p)};
}

}  // namespace

Method self_training_method() {
  return {.name = "self-training",
          .paper = "Yarowsky, ACL 1995",
          .text = "logistic regression that is taught again by the answers it is sure of",
          .settings =
              std::vector<MethodSetting>{
                  {"sure", 0.75, {0.6, 0.75, 0.9, 0.97}, "least probability that teaches"},
                  {"rounds", 10, {3, 10}, "at most"}} +
              cost_settings(),
          .fit = fit_self_training};
}

}  // namespace glgnn
