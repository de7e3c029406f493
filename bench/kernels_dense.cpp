// Kernels on dense matrices.
#include "bench/kernel_bench.h"
#include "core/rng.h"
#include "kernels/dropout.h"
#include "kernels/gemm.h"

namespace glgnn::bench {

void measure_dense(KernelBench& bench) {
  constexpr int64_t kFeatures = 256, kHidden = 32;
  const int64_t n = bench.rows();
  const int threads = bench.threads();
  const Matrix x = random_matrix(n, kFeatures, 4), w = random_matrix(kFeatures, kHidden, 5);
  Matrix y(n, kHidden), d_w(kFeatures, kHidden);
  const double flops = 2.0 * static_cast<double>(n * kFeatures * kHidden);
  const double sgemm = sgemm_seconds(n, kHidden, kFeatures, bench.repeats());
  const Json shape = {{"n", n}, {"d", kFeatures}, {"hidden", kHidden}};
  bench.product("gemm", flops, sgemm, shape,
                [&] { cpu::gemm(y.view(), x.view(), w.view(), {}, threads); });
  bench.product("gemm_transposed", flops, sgemm, shape,
                [&] { cpu::gemm(d_w.view(), x.view(), y.view(), {.transpose_a = true}, threads); });

  const Rng rng{.seed = 1, .stream = Stream::kDropInput};
  constexpr float kRate = 0.5f;
  const Matrix from = random_matrix(n, kFeatures, 6);
  Matrix to(n, kFeatures);
  const auto numbers = static_cast<double>(from.size());
  bench.movement("dropout", 2 * numbers * sizeof(float), {{"numbers", numbers}}, [&] {
    cpu::dropout_forward(to.data(), from.data(), from.size(), kRate, rng, threads);
  });
  bench.movement("dropout_backward", 3 * numbers * sizeof(float), {{"numbers", numbers}}, [&] {
    cpu::dropout_backward(to.data(), from.data(), from.size(), kRate, rng, threads);
  });
}

}  // namespace glgnn::bench
