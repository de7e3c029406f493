#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/dropout.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "kernels/cpu/dropout-inl.h"
#include "kernels/dropout.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {
// y = x * keep / (1 - rate) of n elements, the first of which has number 4 b.
void dropout_elements(float* y, const float* x, uint64_t b, int64_t n, float rate, const Rng& rng) {
  const int32_t least = first_kept(rate);
  for (int64_t i = 0; i < n; i += 64, b += 16) {
    keep_by_bits(y + i, x + i, kept_bits(b, least, rng), std::min<int64_t>(64, n - i),
                 1.0f / (1.0f - rate));
  }
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {
HWY_EXPORT(dropout_elements);

// Elements that one thread draws at a time.
constexpr int64_t kChunk = 1024, kFewChunks = 16;

// work(begin, end) on pieces of n elements.
template <class Work>
void for_chunks(int64_t n, int threads, Work&& work) {
  const int64_t chunks = (n + kChunk - 1) / kChunk;
  parallel_for(chunks, chunks > kFewChunks ? threads : 1, 0,
               [&](int64_t chunk) { work(chunk * kChunk, std::min(n, (chunk + 1) * kChunk)); });
}

}  // namespace

void dropout_part(float* y, const float* x, int64_t first, int64_t n, float rate, const Rng& rng,
                  int threads) {
  for_chunks(n, threads, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(dropout_elements)
    (y + begin, x + begin, static_cast<uint64_t>((first + begin) / 4), end - begin, rate, rng);
  });
}

void dropout_forward(float* y, const float* x, int64_t n, float rate, const Rng& rng, int threads) {
  dropout_part(y, x, 0, n, rate, rng, threads);
}

void dropout_backward(float* d_x, const float* d_y, int64_t n, float rate, const Rng& rng,
                      int threads) {
  for_chunks(n, threads, [&](int64_t begin, int64_t end) {
    float pulled[kChunk];
    HWY_DYNAMIC_DISPATCH(dropout_elements)
    (pulled, d_y + begin, static_cast<uint64_t>(begin / 4), end - begin, rate, rng);
    for (int64_t i = begin; i < end; ++i) d_x[i] += pulled[i - begin];
  });
}

}  // namespace glgnn::cpu
#endif
