// The best pairs of a row among its candidates, by one warp.
//
// A pair is a key of 64 bits: its score as a whole number that sorts like it, then its column so
// that the smaller one is the larger key. No two keys of a row are equal, so that the best k do not
// depend on the order in which they came.
#pragma once

#include <cstdint>

namespace glgnn::cuda {

inline constexpr unsigned kAllLanes = 0xffffffffu;

__device__ inline uint64_t pair_key(float score, int column) {
  const uint32_t bits = __float_as_uint(score + 0.0f);  // -0 becomes 0
  const uint32_t sorted = bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
  return uint64_t{sorted} << 32 | (0xffffffffu - static_cast<uint32_t>(column));
}

__device__ inline float key_score(uint64_t key) {
  const uint32_t sorted = static_cast<uint32_t>(key >> 32);
  return __uint_as_float(sorted ^ (sorted >> 31 ? 0x80000000u : 0xffffffffu));
}

__device__ inline int key_column(uint64_t key) {
  return static_cast<int>(0xffffffffu - static_cast<uint32_t>(key));
}

__device__ inline uint64_t warp_min(uint64_t value) {
  for (int step = 16; step > 0; step /= 2) {
    const uint64_t other = __shfl_xor_sync(kAllLanes, value, step);
    value = other < value ? other : value;
  }
  return value;
}

__device__ inline uint64_t warp_or(uint64_t value) {
  for (int step = 16; step > 0; step /= 2) value |= __shfl_xor_sync(kAllLanes, value, step);
  return value;
}

// Moves the keys of keys[from .. held) for which `keep` holds to the front of that range; returns
// the new end. All lanes of the warp.
template <class Keep>
__device__ inline int keep_where(uint64_t* keys, int from, int held, Keep&& keep) {
  const int lane = threadIdx.x % 32;
  int end = from;
  for (int first = from; first < held; first += 32) {
    const bool inside = first + lane < held;
    const uint64_t key = inside ? keys[first + lane] : 0;
    const bool stays = inside && keep(key);
    const unsigned mask = __ballot_sync(kAllLanes, stays);
    if (stays) keys[end + __popc(mask & ((1u << lane) - 1))] = key;
    end += __popc(mask);
    __syncwarp();
  }
  return end;
}

// Keeps the k largest of `held` keys, held > k > 0, in any order; returns the smallest of them.
__device__ inline uint64_t keep_largest(uint64_t* keys, int held, int k) {
  const int lane = threadIdx.x % 32;
  uint64_t any = 0, none = 0;
  for (int e = lane; e < held; e += 32) {
    any |= keys[e];
    none |= ~keys[e];
  }
  any = warp_or(any);
  none = warp_or(none);
  // Bit by bit from the first in which keys differ: the largest bound that k keys reach.
  const uint64_t differing = any & none;
  uint64_t bound = any & ~none;
  for (int bit = 63 - __clzll(static_cast<long long>(differing)); bit >= 0; --bit) {
    const uint64_t higher = (bound >> bit | 1) << bit;
    int reached = 0;
    for (int e = lane; e < held; e += 32) reached += keys[e] >= higher;
    reached = __reduce_add_sync(kAllLanes, reached);
    if (reached >= k) bound = higher;
    if (reached == k) break;
  }
  uint64_t least = ~uint64_t{0};
  keep_where(keys, 0, held, [&](uint64_t key) {
    if (key >= bound && key < least) least = key;
    return key >= bound;
  });
  return warp_min(least);
}

}  // namespace glgnn::cuda
