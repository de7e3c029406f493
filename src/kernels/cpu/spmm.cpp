#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/spmm.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "kernels/cpu/row_sums-inl.h"
#include "kernels/edges.h"

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

// Dots of row i; `scaled` is room for a row of X.
void selected_dot_row(float* dots, float* HWY_RESTRICT scaled, const PatternView& pattern,
                      const ZSelected<float>& z, int64_t i) {
  const float* x = z.x[i];
  for (int64_t f = 0; f < z.x.cols; ++f) scaled[f] = x[f] * z.s[f] * z.s[f];
  for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
    const int64_t j = pattern.col[e];
    dots[e] = dot(scaled, z.other_x[j], z.x.cols);
    if (z.labels.cols > 0) dots[e] += dot(z.labels[i], z.other_labels[j], z.labels.cols);
  }
}

// sums_f += x_if sum_j d_ij x_jf; `joined` is room for a row of X.
void selected_dot_backward_row(float* HWY_RESTRICT sums, float* HWY_RESTRICT joined,
                               const float* d_dots, const PatternView& pattern,
                               const ZSelected<float>& z, int64_t i) {
  weighted_row_sum<false>(joined, z.other_x.data, z.x.cols, pattern.col, pattern.row_ptr[i],
                          pattern.row_ptr[i + 1], [&](int64_t e) { return d_dots[e]; });
  const float* x = z.x[i];
  for (int64_t f = 0; f < z.x.cols; ++f) sums[f] += x[f] * joined[f];
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

namespace {

HWY_EXPORT(selected_dot_row);
HWY_EXPORT(selected_dot_backward_row);

}  // namespace

void selected_dot_forward(float* dots, PatternView pattern, const ZSelected<float>& z,
                          int threads) {
  const auto make_room = [&] { return std::vector<float>(z.x.cols); };
  parallel_for_in_rooms(pattern.rows, threads, 64, make_room, [&](auto& scaled, int64_t i) {
    HWY_DYNAMIC_DISPATCH(selected_dot_row)(dots, scaled.data(), pattern, z, i);
  });
}

void selected_dot_backward(float* d_s, const float* d_dots, PatternView pattern,
                           const ZSelected<float>& z, int threads) {
  // Rows are cut into parts that do not depend on the threads; their sums are added in order.
  constexpr int64_t kParts = 64;
  const int64_t features = z.x.cols;
  std::vector<float> sums(kParts * features, 0.0f);
  const auto make_room = [&] { return std::vector<float>(features); };
  parallel_for_in_rooms(kParts, threads, 1, make_room, [&](auto& joined, int64_t part) {
    const int64_t end = pattern.rows * (part + 1) / kParts;
    for (int64_t i = pattern.rows * part / kParts; i < end; ++i) {
      HWY_DYNAMIC_DISPATCH(selected_dot_backward_row)
      (sums.data() + part * features, joined.data(), d_dots, pattern, z, i);
    }
  });
  for (int64_t f = 0; f < features; ++f) {
    double sum = 0;
    for (int64_t part = 0; part < kParts; ++part) sum += sums[part * features + f];
    d_s[f] += static_cast<float>(2 * sum) * z.s[f];
  }
}

}  // namespace glgnn::cpu
#endif
