#include "bench/candidates.h"

#include "bench/measure.h"
#include "core/rng.h"
#include "kernels/hnsw_choose.h"

namespace glgnn::bench {
namespace {

constexpr int64_t kFeatures = 64, kClasses = 10, kNeighbours = 10, kRecallRows = 256;

// Gaussian clouds around random centres, as in scaling.cpp.
Matrix gaussian_rows(int64_t rows) {
  const Rng centres{.seed = 1, .stream = Stream::kInit, .owner = 0};
  const Rng noise{.seed = 1, .stream = Stream::kInit, .owner = 1};
  Matrix out(rows, kFeatures);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t f = 0; f < kFeatures; ++f) {
      out[i][f] = centres.normal(static_cast<uint64_t>(i % kClasses * kFeatures + f)) +
                  noise.normal(static_cast<uint64_t>(i * kFeatures + f));
    }
  }
  return out;
}

Result measure_rows(int64_t rows, const Options& options) {
  const Matrix numbers = gaussian_rows(rows);
  const ZDense<float> z{numbers.view()};
  const ChooseOptions choose{.k = kNeighbours};
  std::vector<int32_t> col(static_cast<size_t>(rows * kNeighbours));
  std::vector<int64_t> count(static_cast<size_t>(rows));
  Result result{.name = "candidates/" + std::to_string(rows), .peer = "hnsw"};
  options.say(result.name);
  result.seconds = shortest_seconds(0, [&] {
    cpu::graph_learn_choose(col.data(), count.data(), nullptr, z, {}, choose, options.threads);
  });
  result.peer_seconds = shortest_seconds(
      0, [&] { cpu::hnsw_choose(col.data(), count.data(), z, {}, choose, options.threads); });
  result.extra = {{"n", rows},
                  {"d", kFeatures},
                  {"k", kNeighbours},
                  {"recall", cpu::choice_recall(col.data(), count.data(), z, {}, choose,
                                                kRecallRows, options.threads)}};
  return result;
}

}  // namespace

std::vector<Result> measure_candidates(const Options& options) {
  const int64_t largest = options.quick ? 2048 : 262'144;
  std::vector<Result> results;
  for (int64_t rows = options.quick ? 1024 : 16'384; rows <= largest; rows *= 2) {
    results.push_back(measure_rows(rows, options));
  }
  return results;
}

}  // namespace glgnn::bench
