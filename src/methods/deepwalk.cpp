// DeepWalk: random walks over the graph are read as sentences; rows that are met together get
// similar vectors, and logistic regression reads those. The features are not seen.
#include <utility>

#include "methods/linear_models.h"
#include "methods/methods.h"
#include "methods/network.h"
#include "methods/skip_gram.h"

namespace glgnn {
namespace {

constexpr double kFirstRate = 0.025, kLastRate = 1e-4;

MethodAnswer fit_deepwalk(const MethodTask& task) {
  const Csr& graph = *task.problem.graph;
  const int64_t rows = graph.rows(), walks = task.count("walks");
  SkipGram model(*graph.pattern, task.count("dimension"), task.seed);
  for (int64_t walk = 0; walk < walks; ++walk) {
    for (int64_t i = 0; i < rows; ++i) {
      const double done = static_cast<double>(walk * rows + i) / static_cast<double>(walks * rows);
      model.learn(model.walk(static_cast<int32_t>(i), task.count("length")), task.count("window"),
                  true, kFirstRate + done * (kLastRate - kFirstRate));
    }
  }
  Features vectors;
  vectors.dense = std::move(model).vectors();
  return {fit_linear(vectors, task.problem, LinearLoss::kLogistic, task.value("cost"))};
}

}  // namespace

Method deepwalk_method() {
  return {.name = "deepwalk",
          .paper = "Perozzi, Al-Rfou and Skiena, KDD 2014",
          .text = "logistic regression on vectors learned from random walks; reads no features",
          .needs_graph = true,
          .settings = std::vector<MethodSetting>{{"dimension", 64, {64, 128}, "of the vectors"},
                                                 {"walks", 20, {10, 20}, "from each row"},
                                                 {"length", 40, {40}, "of a walk"},
                                                 {"window", 5, {3, 5, 10}, "rows met together"}} +
                      cost_settings(),
          .fit = fit_deepwalk};
}

}  // namespace glgnn
