// What choosing by tiles of S shares between its block pairs.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/graph_learn/blocks.h"
#include "kernels/cpu/graph_learn/coarse_rows.h"
#include "kernels/cpu/graph_learn/packed_rows.h"
#include "kernels/cpu/graph_learn/row_handler.h"
#include "kernels/graph_learn.h"

namespace glgnn::cpu {

// Rows of Z as the caller has them: dense, or sparse by rows.
struct ZRows {
  MatView<const float> dense;
  PatternView pattern;
  const float* values = nullptr;  // null where they are dense
};
inline ZRows rows_of(const ZDense<float>& z) { return {z.z, {}, nullptr}; }
inline ZRows rows_of(const ZSparse<float>& z) { return {{}, z.pattern, z.values}; }
inline ZRows rows_of(const ZNear& z) { return {z.z, {}, nullptr}; }

// Working memory of one thread.
struct TileRoom {
  float* tile;
  float* t;              // one row of the tile
  float* row_bounds;     // a number for each row of it
  float* column_bounds;  // and for each column
  float* z;              // one row of Z, all zero before and after each use
  uint64_t* pairs;       // a bit for each number of the tile
  int32_t* columns;      // one for each column
  uint64_t* marks;       // of the rows of the tile, where all rows' are too many to be held
  uint64_t* row_marks;   // of one row
};

// How far apart the rows of a tile and its columns are.
struct TileMarks {
  const uint64_t* words = nullptr;
  int64_t row_stride = 0, level_stride = 0;
  RowMarks of(int64_t r) const { return {words ? words + r * row_stride : nullptr, level_stride}; }
};

struct ChooseJob {
  const Blocks& blocks;
  PackedRows z;
  PackedRows others;  // the rows as the columns of S: Z again, or the other half of a distance
  CoarseRows coarse;
  ZRows rows;
  const RowRule& rule;
  RowState* states;
  int32_t* candidates;
  const uint64_t* marks;  // null: found for each tile

  TileMarks marks_of(const TileRoom& room, int64_t i, int64_t j) const {
    const HopShells* shells = rule.hops.shells;
    if (!shells) return {};
    const int64_t levels = shells->hops(), words = blocks.padded(j) / kPanelRows;
    const int64_t first = blocks.first(j) / kPanelRows;
    if (marks) {
      const int64_t of_row = levels * shells->words();
      return {marks + blocks.first(i) * of_row + first, of_row, shells->words()};
    }
    for (int64_t r = 0; r < blocks.size(i); ++r) {
      const RowMarks found = shells->marks(blocks.first(i) + r, first, words, room.row_marks);
      for (int64_t d = 0; d < levels; ++d) {
        const uint64_t* from = found.words + d * found.stride;
        std::copy(from, from + words, room.marks + (r * levels + d) * words);
      }
    }
    return {room.marks, levels * words, words};
  }

  Candidates candidates_of(int64_t row) const {
    int32_t* at = candidates + 2 * rule.capacity() * row;
    return {at, at + rule.capacity()};
  }
};

// graph_learn_choose by tiles of dense rows, for sparse Z that is nearly dense.
void choose_in_tiles(int32_t* col, int64_t* count, float* lse, const ZSparse<float>& z,
                     const HopWeights<float>& hops, const ChooseOptions& options, int threads);

}  // namespace glgnn::cpu
