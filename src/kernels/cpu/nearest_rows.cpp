#include "kernels/nearest_rows.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/best_columns.h"
#include "kernels/cpu/blas.h"

namespace glgnn::cpu {
namespace {

constexpr int64_t kBlock = 64;  // rows compared by one product

}  // namespace

void nearest_rows(int32_t* col, MatView<const float> z, int64_t k, int threads) {
  const int64_t n = z.rows, kept = std::min(k, n - 1);
  if (kept < 1) return;
  const SingleThreadedBlas single(threads);
  std::vector<float> half_square(n);
  for (int64_t j = 0; j < n; ++j) {
    float square = 0;
    for (int64_t d = 0; d < z.cols; ++d) square += z[j][d] * z[j][d];
    half_square[j] = square / 2;
  }
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> dots(kBlock * n);
    std::vector<int32_t> heap;
#pragma omp for schedule(dynamic)
    for (int64_t first = 0; first < n; first += kBlock) {
      const int64_t rows = std::min(kBlock, n - first);
      if (z.cols > 0) {
        sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(rows), static_cast<int>(n),
              static_cast<int>(z.cols), 1.0f, z[first], static_cast<int>(z.cols), z.data,
              static_cast<int>(z.cols), 0.0f, dots.data(), static_cast<int>(n));
      } else {
        std::fill(dots.begin(), dots.end(), 0.0f);
      }
      for (int64_t r = 0; r < rows; ++r) {
        float* nearness = dots.data() + r * n;
        for (int64_t j = 0; j < n; ++j) nearness[j] -= half_square[j];
        nearness[first + r] = -std::numeric_limits<float>::infinity();  // not the row itself
        best_columns(col + (first + r) * kept, nearness, n, kept, heap);
      }
    }
  }
}

}  // namespace glgnn::cpu
