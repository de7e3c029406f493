// DeepWalk: random walks over the graph are read as sentences; rows that are met together get
// similar vectors, and logistic regression reads those. The features are not seen.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/rng.h"
#include "methods/linear_models.h"
#include "methods/methods.h"
#include "methods/network.h"

namespace glgnn {
namespace {

constexpr int64_t kNegatives = 5;
constexpr double kFirstRate = 0.025, kLastRate = 1e-4;

// Skip-gram with negative sampling: vectors of rows, and of rows as neighbours of others.
class SkipGram {
 public:
  SkipGram(const Csr& graph, int64_t dimension, uint64_t seed)
      : edges_(*graph.pattern),
        vectors_(graph.rows(), dimension),
        contexts_(graph.rows(), dimension),
        draws_{seed, Stream::kModules, 2, 0} {
    const Rng start{seed, Stream::kInit, 40, 0};
    for (int64_t e = 0; e < vectors_.size(); ++e) {
      vectors_.data()[e] =
          (start.uniform(static_cast<uint64_t>(e)) - 0.5f) / static_cast<float>(dimension);
    }
    // Rows are met as often as they have edges; rare ones are drawn a little more.
    double sum = 0;
    for (int64_t i = 0; i < edges_.rows; ++i) {
      sum += std::pow(static_cast<double>(edges_.view().row_size(i)), 0.75);
      chances_.push_back(sum);
    }
  }

  std::vector<int32_t> walk(int32_t from, int64_t length) {
    std::vector<int32_t> path{from};
    while (std::ssize(path) < length) {
      const int64_t begin = edges_.row_ptr[path.back()];
      const auto degree = static_cast<uint32_t>(edges_.view().row_size(path.back()));
      if (degree == 0) break;
      path.push_back(edges_.col[begin + draw() % degree]);
    }
    return path;
  }

  void learn(const std::vector<int32_t>& path, int64_t window, double rate) {
    std::vector<float> moved(static_cast<size_t>(vectors_.cols()));
    for (int64_t at = 0; at < std::ssize(path); ++at) {
      // A smaller window now and then, so that near rows count more.
      const int64_t reach = 1 + draw() % static_cast<uint32_t>(window);
      const int64_t last = std::min<int64_t>(std::ssize(path) - 1, at + reach);
      for (int64_t other = std::max<int64_t>(0, at - reach); other <= last; ++other) {
        if (other == at) continue;
        std::ranges::fill(moved, 0.0f);
        float* vector = vectors_[path[other]];
        push(moved, vector, path[at], 1, rate);
        for (int64_t n = 0; n < kNegatives; ++n) {
          const int32_t row = any_row();
          if (row != path[at]) push(moved, vector, row, 0, rate);
        }
        for (size_t d = 0; d < moved.size(); ++d) vector[d] += moved[d];
      }
    }
  }

  Matrix vectors() && { return std::move(vectors_); }

 private:
  uint32_t draw() {
    if (drawn_ % 4 == 0) block_ = draws_.block(drawn_ / 4);
    return block_[drawn_++ % 4];
  }

  int32_t any_row() {
    const double at = Rng::to_uniform(draw()) * chances_.back();
    return static_cast<int32_t>(std::ranges::lower_bound(chances_, at) - chances_.begin());
  }

  // One step on log sigmoid(v . c), or on log(1 - sigmoid(v . c)) for `together` = 0.
  void push(std::vector<float>& moved, const float* vector, int32_t row, int together,
            double rate) {
    float* context = contexts_[row];
    float product = 0;
    for (size_t d = 0; d < moved.size(); ++d) product += vector[d] * context[d];
    const auto step = static_cast<float>(rate * (together - 1 / (1 + std::exp(-double{product}))));
    for (size_t d = 0; d < moved.size(); ++d) {
      moved[d] += step * context[d];
      context[d] += step * vector[d];
    }
  }

  const Pattern& edges_;
  Matrix vectors_, contexts_;
  Rng draws_;
  uint64_t drawn_ = 0;
  std::array<uint32_t, 4> block_{};
  std::vector<double> chances_;
};

MethodAnswer fit_deepwalk(const MethodTask& task) {
  const Csr& graph = *task.problem.graph;
  const int64_t rows = graph.rows(), walks = task.count("walks");
  SkipGram model(graph, task.count("dimension"), task.seed);
  for (int64_t walk = 0; walk < walks; ++walk) {
    for (int64_t i = 0; i < rows; ++i) {
      const double done = static_cast<double>(walk * rows + i) / static_cast<double>(walks * rows);
      model.learn(model.walk(static_cast<int32_t>(i), task.count("length")), task.count("window"),
                  kFirstRate + done * (kLastRate - kFirstRate));
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
