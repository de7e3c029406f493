#include "bench/measure.h"
#include "bench/peers.h"
#include "bench/training.h"
#include "bench/training_run.h"
#include "core/rng.h"

namespace glgnn::bench {
namespace {

constexpr int64_t kFeatures = 64, kClasses = 10, kLabelled = 20, kNeighbours = 10;

// Classes are Gaussian clouds around random centres; the first rows of each train and validate.
Dataset gaussian_classes(int64_t rows) {
  Dataset dataset;
  dataset.name = "gaussian";
  dataset.features.dense = Matrix(rows, kFeatures);
  const Rng centres{.seed = 1, .stream = Stream::kInit, .owner = 0};
  const Rng noise{.seed = 1, .stream = Stream::kInit, .owner = 1};
  Split split;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t label = i % kClasses, turn = i / kClasses;
    for (int64_t f = 0; f < kFeatures; ++f) {
      dataset.features.dense[i][f] = centres.normal(static_cast<uint64_t>(label * kFeatures + f)) +
                                     noise.normal(static_cast<uint64_t>(i * kFeatures + f));
    }
    dataset.labels.push_back(static_cast<int32_t>(label));
    auto& part = turn < kLabelled ? split.train : turn < 2 * kLabelled ? split.val : split.test;
    part.push_back(static_cast<int32_t>(i));
  }
  for (int64_t c = 0; c < kClasses; ++c) dataset.class_names.push_back(std::to_string(c));
  dataset.splits.push_back(std::move(split));
  return dataset;
}

Json exponents(const std::vector<Result>& results, size_t first) {
  std::vector<double> rows, seconds, megabytes;
  for (size_t i = first; i < results.size(); ++i) {
    if (!results[i].seconds || !results[i].peak_mb) continue;
    rows.push_back(results[i].extra.at("n").get<double>());
    seconds.push_back(*results[i].seconds);
    megabytes.push_back(*results[i].peak_mb);
  }
  if (rows.size() < 2) return nullptr;
  return {{"from", rows.front()},
          {"to", rows.back()},
          {"seconds", fitted_exponent(rows, seconds)},
          {"peak_mb", fitted_exponent(rows, megabytes)}};
}

}  // namespace

Json child_scaling(int64_t rows, const Options& options) {
  Dataset dataset = gaussian_classes(rows);
  Config config;
  config.k = kNeighbours;
  const int64_t epochs = rows > 20'000 ? 1 : options.quick ? 2 : 5;
  return time_epochs(dataset, config, {.context = options.context(), .least = epochs});
}

std::vector<Result> measure_scaling(const Options& options) {
  const int64_t largest = options.quick ? 16'384 : 131'072;
  std::vector<Result> results;
  for (int64_t rows = 1024; rows <= largest; rows *= 2) {
    results.push_back(run_ours(options, "scaling/" + std::to_string(rows)));
  }
  return results;
}

Json scaling_exponents(const std::vector<Result>& results) {
  return {{"all", exponents(results, 0)}, {"larger_half", exponents(results, results.size() / 2)}};
}

}  // namespace glgnn::bench
