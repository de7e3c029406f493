// Z as the tiles read it: each number as the sum of two halves (22 bits and more of it), rows in
// blocks of 64 and features in slabs of 64, every such square laid out as shared memory wants it.
#pragma once

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

}  // namespace glgnn::cuda
