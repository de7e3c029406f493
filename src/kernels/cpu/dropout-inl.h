// Which elements dropout keeps, a bit for each (Highway: this file is read once for each
// instruction set).
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/rng.h"
#include "kernels/cpu/simd_math-inl.h"

#if defined(GLGNN_KERNELS_CPU_DROPOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GLGNN_KERNELS_CPU_DROPOUT_INL_H_
#undef GLGNN_KERNELS_CPU_DROPOUT_INL_H_
#else
#define GLGNN_KERNELS_CPU_DROPOUT_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// The least value of the upper 23 bits of a random number that is kept: Rng::to_uniform is exact.
HWY_INLINE int32_t first_kept(float rate) {
  return static_cast<int32_t>(std::ceil(double{rate} * 0x1p23 - 0.5));
}

#if HWY_TARGET == HWY_SCALAR

// Bits of the elements 4 b .. 4 b + 63.
HWY_INLINE uint64_t kept_bits(uint64_t b, int32_t first, const Rng& rng) {
  uint64_t kept = 0;
  for (uint64_t block = 0; block < 16; ++block) {
    const auto bits = rng.block(b + block);
    for (uint64_t word = 0; word < 4; ++word) {
      kept |= uint64_t{static_cast<int32_t>(bits[word] >> 9) >= first} << (4 * block + word);
    }
  }
  return kept;
}

#else

// The upper and the lower half of each product of 32-bit numbers.
template <class D>
HWY_INLINE void multiply(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D>& high, hn::Vec<D>& low) {
  const hn::Repartition<uint64_t, D> wide;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))), b);
  high = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
  low = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
}

// Bits of the elements 4 b .. 4 b + 63: Philox4x32-10 on as many counters at once as a vector has
// lanes. b + 16 must not pass a multiple of 2^32.
HWY_INLINE uint64_t kept_bits(uint64_t b, int32_t first, const Rng& rng) {
  const hn::CappedTag<uint32_t, 16> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Repartition<uint8_t, decltype(d)> bytes;
  constexpr uint32_t kMultiply0 = 0xD2511F53, kMultiply1 = 0xCD9E8D57;
  constexpr uint32_t kKeyStep0 = 0x9E3779B9, kKeyStep1 = 0xBB67AE85;
  using V = hn::Vec<decltype(d)>;
  const V multiply0 = hn::Set(d, kMultiply0), multiply1 = hn::Set(d, kMultiply1);
  const auto below = hn::Set(di, first - 1);
  const auto lanes = static_cast<uint64_t>(hn::Lanes(d));
  uint64_t kept = 0;
  for (uint64_t block = 0; block < 16; block += lanes) {
    V c0 = hn::Iota(d, static_cast<uint32_t>(b + block));
    V c1 = hn::Set(d, static_cast<uint32_t>(b >> 32));
    V c2 = hn::Set(d, rng.step);
    V c3 = hn::Set(d, (static_cast<uint32_t>(rng.stream) << 16) | rng.owner);
    uint32_t key0 = static_cast<uint32_t>(rng.seed), key1 = static_cast<uint32_t>(rng.seed >> 32);
    for (int round = 0; round < 10; ++round, key0 += kKeyStep0, key1 += kKeyStep1) {
      V high0, low0, high1, low1;
      multiply(d, c0, multiply0, high0, low0);
      multiply(d, c2, multiply1, high1, low1);
      c0 = hn::Xor(hn::Xor(high1, c1), hn::Set(d, key0));
      c1 = low1;
      c2 = hn::Xor(hn::Xor(high0, c3), hn::Set(d, key1));
      c3 = low0;
    }
    // A byte for each number: those of one counter lie side by side, as its elements do.
    const auto flag = [&](V number, uint32_t one) HWY_ATTR {
      const auto is_kept = hn::Gt(hn::BitCast(di, hn::ShiftRight<9>(number)), below);
      return hn::BitCast(d, hn::IfThenElseZero(is_kept, hn::Set(di, static_cast<int32_t>(one))));
    };
    const V flags = hn::Or(hn::Or(flag(c0, 1), flag(c1, 1u << 8)),
                           hn::Or(flag(c2, 1u << 16), flag(c3, 1u << 24)));
    uint64_t part = 0;
    const auto set = hn::Ne(hn::BitCast(bytes, flags), hn::Zero(bytes));
    hn::StoreMaskBits(bytes, set, reinterpret_cast<uint8_t*>(&part));
    kept |= part << (4 * block);
  }
  return kept;
}

#endif

// y = x * scale where the bit is set, else 0; of 64 numbers or fewer.
HWY_INLINE void keep_by_bits(float* y, const float* x, uint64_t bits, int64_t count, float scale) {
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const FloatTag d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const FloatVec factor = hn::Set(d, scale);
  for (; i + lanes <= count; i += lanes, bits >>= lanes) {
    const auto mask = hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&bits));
    hn::StoreU(hn::IfThenElseZero(mask, hn::Mul(hn::LoadU(d, x + i), factor)), d, y + i);
  }
#endif
  for (; i < count; ++i, bits >>= 1) y[i] = (bits & 1) != 0 ? x[i] * scale : 0.0f;
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
