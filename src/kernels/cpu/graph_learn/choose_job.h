// What choosing by tiles of S shares between its block pairs.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

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

// Working memory of one thread.
struct TileRoom {
  float* tile;
  float* t;              // one row of the tile
  float* row_bounds;     // a number for each row of it
  float* column_bounds;  // and for each column
  float* z;              // one row of Z, all zero before and after each use
  uint64_t* pairs;       // a bit for each number of the tile
  int32_t* columns;      // one for each column
};

struct ChooseJob {
  const Blocks& blocks;
  PackedRows z;
  CoarseRows coarse;
  ZRows rows;
  const RowRule& rule;
  RowState* states;
  int32_t* candidates;

  Candidates candidates_of(int64_t row) const {
    int32_t* at = candidates + 2 * rule.capacity() * row;
    return {at, at + rule.capacity()};
  }
};

}  // namespace glgnn::cpu
