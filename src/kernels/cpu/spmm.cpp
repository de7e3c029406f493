#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/spmm.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <cstdint>

#include "core/parallel.h"
#include "kernels/cpu/row_sums-inl.h"
#include "kernels/spmm.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

void spmm_rows(MatView<float> y, const PatternView& pattern, const float* values,
               MatView<const float> x, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    weighted_row_sum<false>(y[i], x.data, x.cols, pattern.col, pattern.row_ptr[i],
                            pattern.row_ptr[i + 1], [&](int64_t e) { return values[e]; });
  }
}

void spmm_values_rows(float* d_values, const PatternView& pattern, MatView<const float> d_y,
                      MatView<const float> x, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      d_values[e] += dot(d_y[i], x[pattern.col[e]], x.cols);
    }
  }
}

void spmm_x_rows(MatView<float> d_x, const TransposeView& transposed, const float* values,
                 MatView<const float> d_y, int64_t begin, int64_t end) {
  const PatternView& back = transposed.pattern;
  for (int64_t j = begin; j < end; ++j) {
    weighted_row_sum<true>(d_x[j], d_y.data, d_y.cols, back.col, back.row_ptr[j],
                           back.row_ptr[j + 1],
                           [&](int64_t q) { return values[transposed.source[q]]; });
  }
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {
HWY_EXPORT(spmm_rows);
HWY_EXPORT(spmm_values_rows);
HWY_EXPORT(spmm_x_rows);

// The instruction set is looked up once for so many rows: a row can be as short as a call.
constexpr int64_t kRows = 64;
}  // namespace

void spmm_forward(MatView<float> y, PatternView pattern, const float* values,
                  MatView<const float> x, int threads) {
  for_fixed_pieces(pattern.rows, kRows, threads, [&](int64_t, int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(spmm_rows)(y, pattern, values, x, begin, end);
  });
}

void spmm_backward_values(float* d_values, PatternView pattern, MatView<const float> d_y,
                          MatView<const float> x, int threads) {
  for_fixed_pieces(pattern.rows, kRows, threads, [&](int64_t, int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(spmm_values_rows)(d_values, pattern, d_y, x, begin, end);
  });
}

void spmm_backward_x(MatView<float> d_x, const TransposeView& transposed, const float* values,
                     MatView<const float> d_y, int threads) {
  for_fixed_pieces(transposed.pattern.rows, kRows, threads,
                   [&](int64_t, int64_t begin, int64_t end) {
                     HWY_DYNAMIC_DISPATCH(spmm_x_rows)(d_x, transposed, values, d_y, begin, end);
                   });
}

}  // namespace glgnn::cpu
#endif
