#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/spmm.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <cstdint>

#include "kernels/cpu/row_sums-inl.h"
#include "kernels/spmm.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

void spmm_row(float* y, const PatternView& pattern, const float* values, MatView<const float> x,
              int64_t i) {
  weighted_row_sum<false>(y, x.data, x.cols, pattern.col, pattern.row_ptr[i],
                          pattern.row_ptr[i + 1], [&](int64_t e) { return values[e]; });
}

void spmm_values_row(float* d_values, const PatternView& pattern, const float* d_y,
                     MatView<const float> x, int64_t i) {
  for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
    d_values[e] += dot(d_y, x[pattern.col[e]], x.cols);
  }
}

void spmm_x_row(float* d_x, const TransposeView& transposed, const float* values,
                MatView<const float> d_y, int64_t j) {
  const PatternView& back = transposed.pattern;
  weighted_row_sum<true>(d_x, d_y.data, d_y.cols, back.col, back.row_ptr[j], back.row_ptr[j + 1],
                         [&](int64_t q) { return values[transposed.source[q]]; });
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {
HWY_EXPORT(spmm_row);
HWY_EXPORT(spmm_values_row);
HWY_EXPORT(spmm_x_row);
}  // namespace

void spmm_forward(MatView<float> y, PatternView pattern, const float* values,
                  MatView<const float> x, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
  for (int64_t i = 0; i < pattern.rows; ++i) {
    HWY_DYNAMIC_DISPATCH(spmm_row)(y[i], pattern, values, x, i);
  }
}

void spmm_backward_values(float* d_values, PatternView pattern, MatView<const float> d_y,
                          MatView<const float> x, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
  for (int64_t i = 0; i < pattern.rows; ++i) {
    HWY_DYNAMIC_DISPATCH(spmm_values_row)(d_values, pattern, d_y[i], x, i);
  }
}

void spmm_backward_x(MatView<float> d_x, const TransposeView& transposed, const float* values,
                     MatView<const float> d_y, int threads) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 64)
  for (int64_t j = 0; j < transposed.pattern.rows; ++j) {
    HWY_DYNAMIC_DISPATCH(spmm_x_row)(d_x[j], transposed, values, d_y, j);
  }
}

}  // namespace glgnn::cpu
#endif
