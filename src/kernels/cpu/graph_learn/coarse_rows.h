// Rows of Z in bytes: a cheap bound for each S_ij, so that only pairs that may matter need a
// product of floats.
//
// Z_i = scale_i q_i + e_i with whole numbers |q| <= 127, hence
//   S_ij <= scale_i scale_j q_i . q_j + (|Z_i| + |e_i|) |e_j| + |e_i| |Z_j|
// A product of bytes costs a quarter of one of floats (AVX-512 VNNI, for which Highway 1.0.3 has no
// operation; other processors do without). `error` also holds what the sums of floats may be
// rounded by, so that the bound holds for S as the tiles compute it.
#pragma once

#include <cstdint>

#include "kernels/cpu/graph_learn/blocks.h"
#include "kernels/cpu/graph_learn/packed_rows.h"
#include "kernels/cpu/scratch.h"

namespace glgnn::cpu {

struct CoarseRows {
  // Panels of kPanelRows rows, four features side by side: byte (i, f) is at
  // i / kPanelRows * kPanelRows * 4 quads + f / 4 * kPanelRows * 4 + i % kPanelRows * 4 + f % 4.
  const int8_t* bytes = nullptr;  // null: not to be used
  int64_t quads = 0;
  // One number for each row:
  const int32_t* start = nullptr;  // -128 times the sum of its bytes
  const float* scale = nullptr;
  const float* length = nullptr;  // at least |Z_i|
  const float* error = nullptr;   // at least |e_i|

  bool usable() const { return bytes != nullptr; }
};

struct CoarseScratch {
  Scratch<int8_t> bytes;
  Scratch<int32_t> start;
  Scratch<float> numbers;
};

// Not usable without the instructions, where Z has too few features to win by it, or where a number
// of Z is not finite.
CoarseRows pack_coarse_rows(CoarseScratch& room, const PackedRows& z, const Blocks& blocks,
                            int threads);

// A run of rows that begins a panel, and what S must exceed to matter for each of them (infinite
// where the run is padded).
struct BoundedRows {
  int64_t first;
  int64_t count;  // a multiple of kPanelRows
  const float* bounds;
};

// Pairs that have t = S + at most `boost`, a bit for each as in `pairs` below, row r from
// words[r * stride] on; all others have t = S.
struct RaisedPairs {
  const uint64_t* words = nullptr;  // null: no pair
  int64_t stride = 0;
  float boost = 0;
};

// A bit for each pair (row, column) that may exceed one of its bounds, kPanelRows to a word:
// pairs[r * columns.count / kPanelRows + c / kPanelRows]. False where more than `most` do, and the
// bits are not all there.
bool find_coarse_pairs(uint64_t* pairs, const CoarseRows& z, const BoundedRows& rows,
                       const CoarseRows& z_of_columns, const BoundedRows& columns,
                       const RaisedPairs& raised, int64_t most);

}  // namespace glgnn::cpu
