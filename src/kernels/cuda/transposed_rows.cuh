// 64 features of Z once more, by features instead of rows, as the products with the weights of the
// gradient read them: each number as the sum of two TF32 numbers.
#pragma once

#include <cstdint>

#include "kernels/cuda/packed_rows.cuh"

namespace glgnn::cuda {

inline constexpr int kPanel = 64 * 128;             // bytes of 64 features of 32 rows
inline constexpr int kTransposedPart = 2 * kPanel;  // leading parts of a tile; then the rest
inline constexpr int kTransposedBytes = 2 * kTransposedPart;

// A number as a TF32 number, rounded.
__device__ inline float tf32(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
}

// `slab`: whole blocks of 64 rows x kSlab, as make_slab() gives them; kTransposedBytes for each.
void pack_transposed(uint8_t* to, const float* slab, int blocks);

}  // namespace glgnn::cuda
