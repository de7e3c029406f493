// What the kernel measurements share: how long to repeat, and how a time becomes a result.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <functional>
#include <string>
#include <vector>

#include "bench/bench.h"

namespace glgnn::bench {

class KernelBench {
 public:
  explicit KernelBench(const Options& options);

  int threads() const { return options_.threads; }
  int64_t rows() const { return options_.quick ? 2048 : 8192; }
  Repeats repeats() const { return {options_.threads, options_.quick ? 0.02 : 1.0}; }

  // Beside products that take `sgemm` seconds as they are; `extra` is what else is known.
  void product(const std::string& name, double flops, double sgemm, const Json& extra,
               const std::function<void()>& work);
  // Beside the time of copying as many bytes.
  void movement(const std::string& name, double bytes, const Json& extra,
                const std::function<void()>& work);
  // Two results as one step.
  void sum(const std::string& name, const std::string& first, const std::string& second);

  std::vector<Result> results;

 private:
  Result timed(const std::string& name, const std::function<void()>& work);

  const Options& options_;
  double copy_rate_;  // bytes a second
};

Matrix random_matrix(int64_t rows, int64_t cols, uint32_t owner);
Matrix random_unit_rows(int64_t rows, int64_t cols, uint32_t owner);

// The k nearest of each row: what a learned graph looks like.
Pattern nearest_rows(const Matrix& z, int64_t k, int threads);

void measure_graph_learning(KernelBench& bench);
void measure_edges(KernelBench& bench);
void measure_dense(KernelBench& bench);
void measure_scalar(KernelBench& bench);

}  // namespace glgnn::bench
