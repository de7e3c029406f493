// Dot products and weighted sums of dense rows, for the entries of a pattern (Highway).
//
// A row list gives, for one output row, entries first .. last - 1: entry e stands for row col[e].
#include <hwy/highway.h>

#include <cstdint>

#include "kernels/cpu/simd_math-inl.h"

#if defined(GLGNN_KERNELS_CPU_ROW_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GLGNN_KERNELS_CPU_ROW_SUMS_INL_H_
#undef GLGNN_KERNELS_CPU_ROW_SUMS_INL_H_
#else
#define GLGNN_KERNELS_CPU_ROW_SUMS_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// x . y of n numbers.
HWY_INLINE float dot(const float* HWY_RESTRICT x, const float* HWY_RESTRICT y, int64_t n) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVec sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d), sum3 = hn::Zero(d);
  int64_t f = 0;
  for (; f + 4 * lanes <= n; f += 4 * lanes) {
    sum0 = hn::MulAdd(hn::LoadU(d, x + f), hn::LoadU(d, y + f), sum0);
    sum1 = hn::MulAdd(hn::LoadU(d, x + f + lanes), hn::LoadU(d, y + f + lanes), sum1);
    sum2 = hn::MulAdd(hn::LoadU(d, x + f + 2 * lanes), hn::LoadU(d, y + f + 2 * lanes), sum2);
    sum3 = hn::MulAdd(hn::LoadU(d, x + f + 3 * lanes), hn::LoadU(d, y + f + 3 * lanes), sum3);
  }
  for (; f + lanes <= n; f += lanes) {
    sum0 = hn::MulAdd(hn::LoadU(d, x + f), hn::LoadU(d, y + f), sum0);
  }
  if (f < n) sum1 = hn::MulAdd(load_first(d, x + f, n - f), load_first(d, y + f, n - f), sum1);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

// out[0 .. kVectors vectors) = or += sum over the entries of weight(e) * row col[e] of x, from
// column f.
template <int kVectors, bool kAccumulate, class Weight>
HWY_INLINE void weighted_columns(float* HWY_RESTRICT out, const float* x, int64_t stride,
                                 const int32_t* col, int64_t first, int64_t last, Weight&& weight) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVec sum[kVectors];
  for (int v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
  for (int64_t e = first; e < last; ++e) {
    const FloatVec w = hn::Set(d, weight(e));
    const float* row = x + col[e] * stride;
    for (int v = 0; v < kVectors; ++v)
      sum[v] = hn::MulAdd(w, hn::LoadU(d, row + v * lanes), sum[v]);
  }
  for (int v = 0; v < kVectors; ++v) {
    if (kAccumulate) sum[v] = hn::Add(sum[v], hn::LoadU(d, out + v * lanes));
    hn::StoreU(sum[v], d, out + v * lanes);
  }
}

// The same for n numbers that do not fill a vector of D, or just one.
template <bool kAccumulate, class D, class Weight>
HWY_INLINE void weighted_few_columns(D d, float* HWY_RESTRICT out, int64_t n, const float* x,
                                     int64_t stride, const int32_t* col, int64_t first,
                                     int64_t last, Weight&& weight) {
  auto sum = hn::Zero(d);
  for (int64_t e = first; e < last; ++e) {
    sum = hn::MulAdd(hn::Set(d, weight(e)), load_first(d, x + col[e] * stride, n), sum);
  }
  if (kAccumulate) sum = hn::Add(sum, load_first(d, out, n));
  store_first(sum, d, out, n);
}

// out = (or +=) sum over the entries of weight(e) * row col[e] of x; rows of n numbers.
template <bool kAccumulate, class Weight>
HWY_INLINE void weighted_row_sum(float* HWY_RESTRICT out, const float* x, int64_t n,
                                 const int32_t* col, int64_t first, int64_t last, Weight&& weight) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t f = 0;
  for (; f + 4 * lanes <= n; f += 4 * lanes) {
    weighted_columns<4, kAccumulate>(out + f, x + f, n, col, first, last, weight);
  }
  if (f + 2 * lanes <= n) {
    weighted_columns<2, kAccumulate>(out + f, x + f, n, col, first, last, weight);
    f += 2 * lanes;
  }
  if (f + lanes <= n) {
    weighted_columns<1, kAccumulate>(out + f, x + f, n, col, first, last, weight);
    f += lanes;
  }
  if (f == n) return;
  // A shorter vector reads fewer lines of the cache: most predictions have few classes.
  const hn::Half<FloatTag> half;
  if (n - f <= static_cast<int64_t>(hn::Lanes(half))) {
    weighted_few_columns<kAccumulate>(half, out + f, n - f, x + f, n, col, first, last, weight);
  } else {
    weighted_few_columns<kAccumulate>(d, out + f, n - f, x + f, n, col, first, last, weight);
  }
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
