#include "bench/mask_explainer.h"

#include <algorithm>
#include <cmath>

#include "core/rng.h"

namespace glgnn {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Adam's means for one list of masks.
struct Optimiser {
  std::vector<double> logit, mean, square;

  explicit Optimiser(size_t size) : logit(size), mean(size), square(size) {}

  void step(const std::vector<double>& gradient, double rate, int64_t t) {
    for (size_t i = 0; i < logit.size(); ++i) {
      mean[i] = 0.9 * mean[i] + 0.1 * gradient[i];
      square[i] = 0.999 * square[i] + 0.001 * gradient[i] * gradient[i];
      const double m = mean[i] / (1 - std::pow(0.9, t)), s = square[i] / (1 - std::pow(0.999, t));
      logit[i] -= rate * m / (std::sqrt(s) + 1e-8);
    }
  }

  std::vector<float> mask() const {
    std::vector<float> out;
    for (const double x : logit) out.push_back(static_cast<float>(sigmoid(x)));
    return out;
  }
};

// Of the mask's size and mean entropy, with respect to the mask.
double penalty_slope(double mask, double size, double entropy, double count) {
  const double clipped = std::clamp(mask, 1e-6, 1 - 1e-6);
  return size - entropy / count * std::log(clipped / (1 - clipped));
}

}  // namespace

Importance optimised_masks(const LocalRow& row, const Judge& judge, const MaskOptions& options) {
  const size_t edges = row.neighbours().size(), features = row.features().size();
  Optimiser of_edges(edges), of_features(features);
  const Rng rng{options.seed, Stream::kInit, 900, 0};
  for (size_t i = 0; i < edges; ++i) of_edges.logit[i] = 0.1 * rng.normal(i);
  for (size_t i = 0; i < features; ++i) of_features.logit[i] = 0.1 * rng.normal(edges + i);
  constexpr float kStep = 0.05f;
  for (int64_t t = 1; t <= options.steps; ++t) {
    const Masks now{of_edges.mask(), of_features.mask()};
    std::vector<Masks> asked{now};
    for (size_t i = 0; i < edges; ++i) asked.emplace_back(now).edges[i] += kStep;
    for (size_t i = 0; i < features; ++i) asked.emplace_back(now).features[i] += kStep;
    const std::vector<double> p = judge.ask(asked);
    const auto slope = [&](size_t at, double mask, double size, double entropy, size_t count) {
      const double loss = -(std::log(std::max(p[at], 1e-9)) - std::log(std::max(p[0], 1e-9)));
      const double total =
          loss / kStep + penalty_slope(mask, size, entropy, static_cast<double>(count));
      return total * mask * (1 - mask);
    };
    std::vector<double> edge_slope, feature_slope;
    for (size_t i = 0; i < edges; ++i) {
      edge_slope.push_back(
          slope(1 + i, now.edges[i], options.edge_size, options.edge_entropy, edges));
    }
    for (size_t i = 0; i < features; ++i) {
      // The mean of the features' masks counts, the sum of the edges'.
      feature_slope.push_back(slope(1 + edges + i, now.features[i],
                                    options.feature_size / static_cast<double>(features),
                                    options.feature_entropy, features));
    }
    of_edges.step(edge_slope, options.learning_rate, t);
    of_features.step(feature_slope, options.learning_rate, t);
  }
  const Masks last{of_edges.mask(), of_features.mask()};
  return {{last.edges.begin(), last.edges.end()}, {last.features.begin(), last.features.end()}};
}

Importance random_importance(const LocalRow& row, uint64_t seed) {
  const Rng rng{seed, Stream::kInit, 901, 0};
  Importance out;
  uint64_t next = 0;
  for (size_t i = 0; i < row.neighbours().size(); ++i) out.edges.push_back(rng.uniform(next++));
  for (size_t i = 0; i < row.features().size(); ++i) out.features.push_back(rng.uniform(next++));
  return out;
}

}  // namespace glgnn
