#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/edge_dot_dense.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <cstdint>

#include "core/parallel.h"
#include "kernels/cpu/row_sums-inl.h"
#include "kernels/edge_dot.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

void edge_dot_row(float* s, const PatternView& pattern, MatView<const float> z, int64_t i) {
  for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
    s[e] = dot(z[i], z[pattern.col[e]], z.cols);
  }
}

void edge_dot_backward_row(float* d_z, const float* d_s, const PatternView& pattern,
                           const TransposeView& transposed, MatView<const float> z, int64_t i) {
  weighted_row_sum<true>(d_z, z.data, z.cols, pattern.col, pattern.row_ptr[i],
                         pattern.row_ptr[i + 1], [&](int64_t e) { return d_s[e]; });
  const PatternView& back = transposed.pattern;
  weighted_row_sum<true>(d_z, z.data, z.cols, back.col, back.row_ptr[i], back.row_ptr[i + 1],
                         [&](int64_t q) { return d_s[transposed.source[q]]; });
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {
HWY_EXPORT(edge_dot_row);
HWY_EXPORT(edge_dot_backward_row);
}  // namespace

void edge_dot_forward(float* s, PatternView pattern, const ZDense<float>& z, int threads) {
  parallel_for(pattern.rows, threads, 64, [&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(edge_dot_row)(s, pattern, z.z, i);
  });
}

void edge_dot_backward(MatView<float> d_z, const float* d_s, PatternView pattern,
                       const TransposeView& transposed, const ZDense<float>& z, int threads) {
  parallel_for(pattern.rows, threads, 64, [&](int64_t i) {
    HWY_DYNAMIC_DISPATCH(edge_dot_backward_row)(d_z[i], d_s, pattern, transposed, z.z, i);
  });
}

}  // namespace glgnn::cpu
#endif
