#include "bench/kernel_bench.h"

#include <algorithm>
#include <cmath>

#include "bench/bench.h"
#include "core/rng.h"
#include "kernels/graph_learn.h"
#include "report/machine.h"

namespace glgnn::bench {

KernelBench::KernelBench(const Options& options)
    : options_(options), copy_rate_(copy_rate(options.quick ? 1 << 22 : 1 << 26, repeats())) {
  Result copy{.name = "limit/stream_copy"};
  copy.extra["gbs"] = 1e-9 * copy_rate_;
  constexpr double kGigabyte = 1e9;
  copy.seconds = kGigabyte / copy_rate_;
  copy.extra["bytes"] = kGigabyte;
  results.push_back(copy);
}

Result KernelBench::timed(const std::string& name, const std::function<void()>& work) {
  options_.say("kernels/" + name);
  Result result{.name = "kernels/" + name};
  const bool fresh = reset_peak();
  result.seconds = shortest_seconds(repeats().budget, work);
  if (fresh) result.peak_mb = peak_memory_mb();
  return result;
}

void KernelBench::product(const std::string& name, double flops, double sgemm, const Json& extra,
                          const std::function<void()>& work) {
  Result result = timed(name, work);
  result.peer = "sgemm";
  result.peer_seconds = sgemm;
  result.extra["gflops"] = 1e-9 * flops / *result.seconds;
  result.extra["share_of_limit"] = sgemm / *result.seconds;
  result.extra.update(extra);
  results.push_back(result);
}

void KernelBench::movement(const std::string& name, double bytes, const Json& extra,
                           const std::function<void()>& work) {
  Result result = timed(name, work);
  result.peer = "stream copy";
  result.peer_seconds = bytes / copy_rate_;
  result.extra["gbs"] = 1e-9 * bytes / *result.seconds;
  result.extra["share_of_limit"] = *result.peer_seconds / *result.seconds;
  result.extra.update(extra);
  results.push_back(result);
}

void KernelBench::sum(const std::string& name, const std::string& first,
                      const std::string& second) {
  Result total{.name = "kernels/" + name, .seconds = 0, .peer = "sgemm", .peer_seconds = 0};
  for (const auto& result : results) {
    if (result.name != "kernels/" + first && result.name != "kernels/" + second) continue;
    *total.seconds += *result.seconds;
    *total.peer_seconds += *result.peer_seconds;
    if (result.peak_mb) total.peak_mb = std::max(total.peak_mb.value_or(0), *result.peak_mb);
    for (const char* key : {"n", "d", "k"}) {
      if (result.extra.contains(key)) total.extra[key] = result.extra[key];
    }
  }
  total.extra["share_of_limit"] = *total.peer_seconds / *total.seconds;
  results.push_back(total);
}

Matrix random_matrix(int64_t rows, int64_t cols, uint32_t owner) {
  Matrix matrix(rows, cols);
  const Rng rng{.seed = 1, .stream = Stream::kInit, .owner = owner};
  for (int64_t i = 0; i < matrix.size(); ++i) {
    matrix.data()[i] = rng.normal(static_cast<uint64_t>(i));
  }
  return matrix;
}

Matrix random_unit_rows(int64_t rows, int64_t cols, uint32_t owner) {
  Matrix matrix = random_matrix(rows, cols, owner);
  for (int64_t i = 0; i < rows; ++i) {
    double squares = 0;
    for (int64_t j = 0; j < cols; ++j) squares += matrix[i][j] * matrix[i][j];
    const auto factor = static_cast<float>(1 / std::sqrt(squares));
    for (int64_t j = 0; j < cols; ++j) matrix[i][j] *= factor;
  }
  return matrix;
}

Pattern nearest_rows(const Matrix& z, int64_t k, int threads) {
  const int64_t n = z.rows();
  Pattern pattern;
  pattern.rows = pattern.cols = n;
  pattern.col.resize(static_cast<size_t>(n * k));
  std::vector<int64_t> count(static_cast<size_t>(n));
  cpu::graph_learn_choose(pattern.col.data(), count.data(), nullptr, ZDense<float>{z.view()}, {},
                          {.k = k}, threads);
  for (int64_t i = 1; i <= n; ++i) pattern.row_ptr.push_back(i * k);
  return pattern;
}

std::vector<Result> measure_kernels(const Options& options) {
  KernelBench bench(options);
  measure_graph_learning(bench);
  measure_edges(bench);
  measure_dense(bench);
  measure_scalar(bench);
  return bench.results;
}

}  // namespace glgnn::bench
