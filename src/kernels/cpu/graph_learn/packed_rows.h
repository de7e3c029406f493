// Rows of Z in panels, as the tiles read them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "kernels/cpu/graph_learn/blocks.h"
#include "kernels/cpu/scratch.h"
#include "kernels/graph_learn.h"

namespace glgnn::cpu {

// Z in panels of kPanelRows rows, feature by feature: number (i, f) is at
// i / kPanelRows * kPanelRows * D + f * kPanelRows + i % kPanelRows. The last panel is filled with
// zeros.
struct PackedRows {
  const float* data;
  int64_t D;
  const float* from(int64_t first_row) const { return data + first_row * D; }
};

// Numbers of row i, at to[f * kPanelRows]; the panel is zero before.
inline void pack_row(float* to, const ZDense<float>& z, int64_t i) {
  for (int64_t f = 0; f < z.z.cols; ++f) to[f * kPanelRows] = z.z[i][f];
}
inline void pack_row(float* to, const ZSparse<float>& z, int64_t i) {
  for (int64_t e = z.pattern.row_ptr[i]; e < z.pattern.row_ptr[i + 1]; ++e) {
    to[z.pattern.col[e] * kPanelRows] = z.values[e];
  }
}
inline int64_t features(const ZDense<float>& z) { return z.z.cols; }
inline int64_t features(const ZSparse<float>& z) { return z.pattern.cols; }

// Rows compared by distance: -|Z_i - Z_j|^2 / 2 is the product of [-|Z_i|^2 / 2, 1, Z_i] and
// [1, -|Z_j|^2 / 2, Z_j]. The former is packed. The squares come first: so the sum has the same
// bits whichever of the two rows is the row of the tile.
struct ZNear {
  MatView<const float> z;
  int64_t rows() const { return z.rows; }
};
inline void pack_row(float* to, const ZNear& near, int64_t i) {
  const MatView<const float>& z = near.z;
  float square = 0;
  for (int64_t f = 0; f < z.cols; ++f) {
    to[(f + 2) * kPanelRows] = z[i][f];
    square += z[i][f] * z[i][f];
  }
  to[0] = -square / 2;
  to[kPanelRows] = 1;
}
inline int64_t features(const ZNear& z) { return z.z.cols + 2; }

template <class Z>
PackedRows pack_rows(Scratch<float>& room, const Z& z, const Blocks& blocks, int threads) {
  const int64_t D = features(z);
  float* packed = room.grow(blocks.padded_rows() * D);
  for_fixed_pieces(z.rows(), kPanelRows, threads, [&](int64_t, int64_t first, int64_t end) {
    float* panel = packed + first * D;
    std::fill(panel, panel + kPanelRows * D, 0.0f);
    for (int64_t i = first; i < end; ++i) pack_row(panel + (i - first), z, i);
  });
  return {packed, D};
}

}  // namespace glgnn::cpu
