#include "kernels/spmm.h"

#include <algorithm>

namespace glgnn::cpu {
namespace {

constexpr int64_t kRowsPerTask = 64;

// y += weight x, n numbers.
inline void axpy(float* __restrict y, float weight, const float* __restrict x, int64_t n) {
  for (int64_t h = 0; h < n; ++h) y[h] += weight * x[h];
}

}  // namespace

void spmm_forward(MatView<float> y, PatternView pattern, const float* values,
                  MatView<const float> x, int threads) {
#pragma omp parallel for schedule(dynamic, kRowsPerTask) num_threads(threads)
  for (int64_t i = 0; i < pattern.rows; ++i) {
    std::fill(y[i], y[i] + x.cols, 0.0f);
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      axpy(y[i], values[e], x[pattern.col[e]], x.cols);
    }
  }
}

void spmm_backward_values(float* d_values, PatternView pattern, MatView<const float> d_y,
                          MatView<const float> x, int threads) {
#pragma omp parallel for schedule(dynamic, kRowsPerTask) num_threads(threads)
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const float* a = d_y[i];
      const float* b = x[pattern.col[e]];
      float sum = 0;
      for (int64_t h = 0; h < x.cols; ++h) sum += a[h] * b[h];
      d_values[e] += sum;
    }
  }
}

void spmm_backward_x(MatView<float> d_x, const TransposeView& transposed, const float* values,
                     MatView<const float> d_y, int threads) {
#pragma omp parallel for schedule(dynamic, kRowsPerTask) num_threads(threads)
  for (int64_t j = 0; j < transposed.pattern.rows; ++j) {
    for (int64_t q = transposed.pattern.row_ptr[j]; q < transposed.pattern.row_ptr[j + 1]; ++q) {
      axpy(d_x[j], values[transposed.source[q]], d_y[transposed.pattern.col[q]], d_y.cols);
    }
  }
}

}  // namespace glgnn::cpu
