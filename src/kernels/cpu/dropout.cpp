#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/dropout.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "kernels/dropout.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

template <class D>
HWY_INLINE void factors_of_blocks(D /*d*/, float* factors, uint64_t b, float rate, const Rng& rng) {
  const auto bits = rng.block(b);
  for (int lane = 0; lane < 4; ++lane) {
    factors[lane] = Rng::to_uniform(bits[lane]) >= rate ? 1.0f / (1.0f - rate) : 0.0f;
  }
}

#else

// The upper half of each product of 32-bit numbers.
template <class D, class V = hn::Vec<D> >
HWY_INLINE V multiply_high(D d, V a, V b) {
  const hn::Repartition<uint64_t, D> wide;
  const auto even = hn::ShiftRight<32>(hn::MulEven(a, b));
  const V odd_a = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a)));
  const auto odd = hn::MulEven(odd_a, b);
  return hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, even));
}

// Factors of the elements of blocks b .. b + lanes - 1 (core/rng.h), four for each block:
// Philox4x32-10 on as many counters at once as a vector has lanes. b + lanes must not pass a
// multiple of 2^32.
template <class D>
HWY_INLINE void factors_of_blocks(D d, float* factors, uint64_t b, float rate, const Rng& rng) {
  constexpr uint32_t kMultiply0 = 0xD2511F53, kMultiply1 = 0xCD9E8D57;
  constexpr uint32_t kKeyStep0 = 0x9E3779B9, kKeyStep1 = 0xBB67AE85;
  const auto set = [&](uint32_t x) { return hn::Set(d, x); };
  auto c0 = hn::Iota(d, static_cast<uint32_t>(b));
  auto c1 = set(static_cast<uint32_t>(b >> 32));
  auto c2 = set(rng.step);
  auto c3 = set((static_cast<uint32_t>(rng.stream) << 16) | rng.owner);
  uint32_t key0 = static_cast<uint32_t>(rng.seed), key1 = static_cast<uint32_t>(rng.seed >> 32);
  for (int round = 0; round < 10; ++round, key0 += kKeyStep0, key1 += kKeyStep1) {
    const auto high0 = multiply_high(d, c0, set(kMultiply0));
    const auto high1 = multiply_high(d, c2, set(kMultiply1));
    const auto low0 = hn::Mul(c0, set(kMultiply0)), low1 = hn::Mul(c2, set(kMultiply1));
    c0 = hn::Xor(hn::Xor(high1, c1), set(key0));
    c1 = low1;
    c2 = hn::Xor(hn::Xor(high0, c3), set(key1));
    c3 = low0;
  }
  // As Rng::to_uniform: below 2^24 every step is exact.
  const hn::RebindToFloat<D> df;
  const hn::RebindToSigned<D> di;
  const auto limit = hn::Set(df, rate), scale = hn::Set(df, 1.0f / (1.0f - rate));
  const auto factor = [&](auto bits) {
    const auto number = hn::ConvertTo(df, hn::BitCast(di, hn::ShiftRight<9>(bits)));
    const auto uniform = hn::Mul(hn::Add(number, hn::Set(df, 0.5f)), hn::Set(df, 0x1p-23f));
    return hn::IfThenElseZero(hn::Ge(uniform, limit), scale);
  };
  hn::StoreInterleaved4(factor(c0), factor(c1), factor(c2), factor(c3), df, factors);
}

#endif

// The factors 0 or 1 / (1 - rate) of the elements 4 b .. 4 b + count - 1.
void dropout_factors(float* factors, uint64_t b, int64_t count, float rate, const Rng& rng) {
  const hn::ScalableTag<uint32_t> d;
  const int64_t step = 4 * static_cast<int64_t>(hn::Lanes(d));
  HWY_ALIGN float last[4 * hn::MaxLanes(d)];
  for (int64_t i = 0; i < count; i += step, b += static_cast<uint64_t>(hn::Lanes(d))) {
    const bool whole = i + step <= count;
    factors_of_blocks(d, whole ? factors + i : last, b, rate, rng);
    if (!whole) std::copy(last, last + (count - i), factors + i);
  }
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {
HWY_EXPORT(dropout_factors);

// Calls use(i, factor) for the elements first + i, i < n; chunks are drawn by several threads.
// `first` is a multiple of 4, because random numbers come by four.
template <class Use>
void for_each_factor(int64_t first, int64_t n, float rate, const Rng& rng, int threads, Use&& use) {
  constexpr int64_t kChunk = 1024;
  const int64_t chunks = (n + kChunk - 1) / kChunk;
#pragma omp parallel for schedule(static) num_threads(threads) if (chunks > 16)
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    float factors[kChunk];
    const int64_t begin = chunk * kChunk, count = std::min(kChunk, n - begin);
    HWY_DYNAMIC_DISPATCH(dropout_factors)
    (factors, static_cast<uint64_t>((first + begin) / 4), count, rate, rng);
    for (int64_t i = 0; i < count; ++i) use(begin + i, factors[i]);
  }
}

}  // namespace

void dropout_part(float* y, const float* x, int64_t first, int64_t n, float rate, const Rng& rng,
                  int threads) {
  for_each_factor(first, n, rate, rng, threads,
                  [&](int64_t i, float factor) { y[i] = x[i] * factor; });
}

void dropout_forward(float* y, const float* x, int64_t n, float rate, const Rng& rng, int threads) {
  dropout_part(y, x, 0, n, rate, rng, threads);
}

void dropout_backward(float* d_x, const float* d_y, int64_t n, float rate, const Rng& rng,
                      int threads) {
  for_each_factor(0, n, rate, rng, threads,
                  [&](int64_t i, float factor) { d_x[i] += d_y[i] * factor; });
}

}  // namespace glgnn::cpu
#endif
