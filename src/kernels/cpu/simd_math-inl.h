// Vector mathematics (Highway: this file is read once for each instruction set).
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#if defined(GLGNN_KERNELS_CPU_SIMD_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GLGNN_KERNELS_CPU_SIMD_MATH_INL_H_
#undef GLGNN_KERNELS_CPU_SIMD_MATH_INL_H_
#else
#define GLGNN_KERNELS_CPU_SIMD_MATH_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVec = hn::Vec<FloatTag>;

// The first n numbers (fewer than a vector) and zeros behind; nothing beyond them is touched.
template <class D>
HWY_INLINE hn::Vec<D> load_first(D d, const float* from, int64_t n) {
#if HWY_CAP_GE256
  return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(n)), d, from);
#else
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy(from, from + n, lanes);
  return hn::Load(d, lanes);
#endif
}

template <class D>
HWY_INLINE void store_first(hn::Vec<D> v, D d, float* to, int64_t n) {
#if HWY_CAP_GE256
  hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(n)), d, to);
#else
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(v, d, lanes);
  std::copy(lanes, lanes + n, to);
#endif
}

// e^x for x <= 88, within 2 units in the last place; e^0 is 1. Below -87 the result stays at e^-87
// (about 1e-38) instead of falling to 0.
HWY_INLINE FloatVec exp(FloatVec x) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  // Adding 1.5 * 2^23 rounds x log2(e) to a whole number and leaves it in the low bits.
  const FloatVec rounder = hn::Set(d, 12582912.0f);
  x = hn::Max(hn::Set(d, -87.0f), x);
  const FloatVec shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), rounder);
  const FloatVec whole = hn::Sub(shifted, rounder);
  // x - whole * ln 2, with ln 2 in two parts.
  FloatVec r = hn::NegMulAdd(whole, hn::Set(d, 0.693145752f), x);
  r = hn::NegMulAdd(whole, hn::Set(d, 1.42860677e-6f), r);
  // The best polynomial of degree 6 on [-ln 2 / 2, ln 2 / 2] that begins with 1 + r; error 3e-9.
  FloatVec p = hn::Set(d, 0.00138145406f);
  p = hn::MulAdd(p, r, hn::Set(d, 0.00836874545f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.04166838899f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.16666521132f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.49999994040f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  const auto power = hn::ShiftLeft<23>(hn::BitCast(di, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), power));
}

// From row i of S, in place: s[j] = d_lse_i exp(S_ij - lse_i) + d_lse_j exp(S_ij - lse_j); count is
// a multiple of a vector's lanes.
HWY_INLINE void lse_weights(float* HWY_RESTRICT s, float lse_i, float d_lse_i,
                            const float* HWY_RESTRICT lse, const float* HWY_RESTRICT d_lse,
                            int64_t count) {
  const FloatTag d;
  const FloatVec own = hn::Set(d, lse_i), d_own = hn::Set(d, d_lse_i);
  for (int64_t j = 0; j < count; j += static_cast<int64_t>(hn::Lanes(d))) {
    const FloatVec value = hn::LoadU(d, s + j);
    const FloatVec mine = hn::Mul(d_own, exp(hn::Sub(value, own)));
    const FloatVec other = exp(hn::Sub(value, hn::LoadU(d, lse + j)));
    hn::StoreU(hn::MulAdd(hn::LoadU(d, d_lse + j), other, mine), d, s + j);
  }
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
