// Z as the tiles read it: each number as the sum of two halves (22 bits and more of it), rows in
// blocks of 64 and features in slabs of 64, every such square laid out as shared memory wants it.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "core/cuda/runtime.cuh"
#include "kernels/graph_learn.h"

namespace glgnn::cuda {

inline constexpr int kSlab = 64;           // features that are multiplied at a time
inline constexpr int kBlockRows = 64;      // rows of a packed block
inline constexpr int kPart = 64 * 64 * 2;  // bytes of a block's leading halves; then the rest's
inline constexpr int kBlockBytes = 2 * kPart;

// The rows on the device: dense, or sparse where row_ptr is given.
struct DeviceRows {
  int64_t rows = 0, cols = 0;
  const float* dense = nullptr;
  const int64_t* row_ptr = nullptr;
  const int32_t* col = nullptr;
  const float* values = nullptr;

  bool is_sparse() const { return row_ptr != nullptr; }
  int64_t slabs() const { return cols <= kSlab ? 1 : (cols + kSlab - 1) / kSlab; }
  // Whole tiles of two blocks.
  int64_t blocks() const { return 2 * ((rows + 2 * kBlockRows - 1) / (2 * kBlockRows)); }
};

// Z on the device, copied from the host.
struct OwnedRows {
  DeviceRows view;
  DeviceArray<float> numbers;
  DeviceArray<int64_t> row_ptr;
  DeviceArray<int32_t> col;
};
OwnedRows copy_rows(const ZDense<float>& z);
OwnedRows copy_rows(const ZSparse<float>& z);

// Slab `s` of all rows as dense numbers, whole blocks x kSlab, zeros where Z has none.
void make_slab(float* slab, const DeviceRows& z, int64_t s);

// Similarities of packed rows come out too large by powers of two, one for each row; `unscale`
// takes them away: S_ij = (product of i and j) unscale_i unscale_j.
struct PackedRows {
  int64_t rows = 0, blocks = 0, slabs = 0;
  DeviceArray<uint8_t> data;   // block b, slab s: at (b slabs + s) kBlockBytes
  DeviceArray<float> unscale;  // of whole blocks; 1 beyond the rows

  static int64_t bytes(const DeviceRows& z);
};
PackedRows pack_rows(const DeviceRows& z);
// The same without numbers yet.
PackedRows room_for(const DeviceRows& z);

// The power of two that brings the largest number of a row into [2^14, 2^15), and its inverse.
struct PowerOfTwo {
  float scale, unscale;
};
__device__ inline PowerOfTwo scale_for(float largest) {
  if (!(largest > 0)) return {1.0f, 1.0f};
  int exponent;
  frexpf(largest, &exponent);
  const int shift = min(max(15 - exponent, -126), 126);
  return {ldexpf(1.0f, shift), ldexpf(1.0f, -shift)};
}

// Puts eight numbers of a row, scaled, into their place as two times eight halves; `group` counts
// the eights of the row.
__device__ inline void store_halves(uint8_t* packed, int64_t slabs, int64_t row, int64_t group,
                                    const float (&x)[8]) {
  alignas(16) __half leading[8], rest[8];
  for (int i = 0; i < 8; ++i) {
    leading[i] = __float2half_rn(x[i]);
    rest[i] = __float2half_rn(x[i] - __half2float(leading[i]));
  }
  const int64_t block = row / kBlockRows, r = row % kBlockRows;
  uint8_t* to =
      packed + (block * slabs + group / 8) * kBlockBytes + r * 128 + ((group % 8) ^ (r % 8)) * 16;
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(leading);
  *reinterpret_cast<uint4*>(to + kPart) = *reinterpret_cast<const uint4*>(rest);
}

// The same eight numbers, still scaled.
__device__ inline void load_halves(float (&x)[8], const uint8_t* packed, int64_t slabs, int64_t row,
                                   int64_t group) {
  const int64_t block = row / kBlockRows, r = row % kBlockRows;
  const uint8_t* from =
      packed + (block * slabs + group / 8) * kBlockBytes + r * 128 + ((group % 8) ^ (r % 8)) * 16;
  alignas(16) __half leading[8], rest[8];
  *reinterpret_cast<uint4*>(leading) = *reinterpret_cast<const uint4*>(from);
  *reinterpret_cast<uint4*>(rest) = *reinterpret_cast<const uint4*>(from + kPart);
  for (int i = 0; i < 8; ++i) x[i] = __half2float(leading[i]) + __half2float(rest[i]);
}

// The product of row i of `a` and row j of `b`, still scaled, by one thread.
__device__ inline float packed_product(const uint8_t* a, int64_t i, const uint8_t* b, int64_t j,
                                       int64_t slabs) {
  float sum = 0;
  for (int64_t group = 0; group < 8 * slabs; ++group) {
    float x[8], y[8], part = 0;
    load_halves(x, a, slabs, i, group);
    load_halves(y, b, slabs, j, group);
    for (int e = 0; e < 8; ++e) part = fmaf(x[e], y[e], part);
    sum += part;
  }
  return sum;
}

// 64 features of Z once more, by features instead of rows, as the products with the weights of the
// gradient read them: each number as the sum of two TF32 numbers.

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
