#include "bench/limits.h"

#include <cblas.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "bench/measure.h"
#include "kernels/cpu/blas.h"

namespace glgnn::bench {
namespace {

constexpr int64_t kTile = 288;  // rows and columns of the tiles of kernels/cpu

// sgemm takes 32-bit sizes.
int narrow(int64_t size) { return static_cast<int>(size); }

double product_seconds(CBLAS_TRANSPOSE transpose_b, int64_t m, int64_t n, int64_t k, int threads,
                       double budget) {
  cpu::use_single_threaded_blas();
  const std::vector<float> a(static_cast<size_t>(m * k), 0.5f);
  const std::vector<float> b(static_cast<size_t>(n * k), 0.25f);
  std::vector<float> c(static_cast<size_t>(m * n));
  const int64_t stride_b = transpose_b == CblasTrans ? k : n;
  return shortest_seconds(budget, [&] {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int part = 0; part < threads; ++part) {
      const int64_t begin = part * m / threads, end = (part + 1) * m / threads;
      cblas_sgemm(CblasRowMajor, CblasNoTrans, transpose_b, narrow(end - begin), narrow(n),
                  narrow(k), 1.0f, a.data() + begin * k, narrow(k), b.data(), narrow(stride_b),
                  0.0f, c.data() + begin * n, narrow(n));
    }
  });
}

}  // namespace

double sgemm_seconds(int64_t m, int64_t n, int64_t k, int threads, double budget) {
  return product_seconds(CblasTrans, m, n, k, threads, budget);
}

double sgemm_plain_seconds(int64_t m, int64_t n, int64_t k, int threads, double budget) {
  return product_seconds(CblasNoTrans, m, n, k, threads, budget);
}

double sgemm_tiles_seconds(int64_t n, int64_t d, int threads, double budget) {
  cpu::use_single_threaded_blas();
  const std::vector<float> z(static_cast<size_t>(n * d), 0.5f);
  const int64_t blocks = (n + kTile - 1) / kTile;
  return shortest_seconds(budget, [&] {
#pragma omp parallel num_threads(threads)
    {
      std::vector<float> tile(kTile * kTile);
#pragma omp for schedule(dynamic)
      for (int64_t i = 0; i < blocks; ++i) {
        const int64_t rows = std::min(kTile, n - i * kTile);
        for (int64_t j = 0; j < blocks; ++j) {
          const int64_t columns = std::min(kTile, n - j * kTile);
          cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, narrow(rows), narrow(columns),
                      narrow(d), 1.0f, z.data() + i * kTile * d, narrow(d),
                      z.data() + j * kTile * d, narrow(d), 0.0f, tile.data(), narrow(kTile));
        }
      }
    }
  });
}

double copy_rate(int threads, double budget) {
  constexpr int64_t kNumbers = int64_t{1} << 26;  // 256 MB
  const std::vector<float> from(kNumbers, 1.0f);
  std::vector<float> to(kNumbers);
  const double seconds = shortest_seconds(budget, [&] {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int part = 0; part < threads; ++part) {
      const int64_t begin = part * kNumbers / threads, end = (part + 1) * kNumbers / threads;
      std::memcpy(to.data() + begin, from.data() + begin,
                  static_cast<size_t>(end - begin) * sizeof(float));
    }
  });
  return 2.0 * kNumbers * sizeof(float) / seconds;
}

}  // namespace glgnn::bench
