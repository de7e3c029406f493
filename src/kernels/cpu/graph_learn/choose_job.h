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

// A run of the rows that are compared: all of them, or those that one process has of all.
struct RowRun {
  const Blocks& blocks;
  int64_t first;      // the number of its first row among all rows
  PackedRows z;       // as the rows of S
  PackedRows others;  // as the columns of S: Z again, or the other half of a distance
  CoarseRows coarse;
  ZRows rows;
  RowState* states;
  int32_t* candidates;
  int64_t capacity;  // room for candidates of each row

  Candidates candidates_of(int64_t row) const {
    int32_t* at = candidates + 2 * capacity * row;
    return {at, at + capacity};
  }
};

// The memory of a run.
class RunRoom {
 public:
  // `by_bytes`: whether tiles of bytes may rule out pairs.
  template <class Z>
  RowRun pack(const Z& z, const Blocks& blocks, int64_t first, const RowRule& rule, bool by_bytes,
              int threads) {
    const PackedRows packed = pack_rows(packed_, z, blocks, threads);
    return {blocks,
            first,
            packed,
            pack_others(z, packed, blocks),
            by_bytes ? pack_coarse_rows(coarse_, packed, blocks, threads) : CoarseRows{},
            rows_of(z),
            states_.grow(blocks.rows()),
            candidates_.grow(2 * rule.capacity() * blocks.rows()),
            rule.capacity()};
  }

  // Where the rows will be columns of no further tile.
  void release_others() { others_ = {}; }

  void release_if_large() {
    packed_.release_if_large();
    others_.release_if_large();
    coarse_.bytes.release_if_large();
    candidates_.release_if_large();
  }

 private:
  template <class Z>
  PackedRows pack_others(const Z&, const PackedRows& packed, const Blocks&) {
    return packed;
  }
  // The first two features change places.
  PackedRows pack_others(const ZNear&, const PackedRows& packed, const Blocks& blocks) {
    float* others = others_.grow(blocks.padded_rows() * packed.D);
    std::copy(packed.data, packed.data + blocks.padded_rows() * packed.D, others);
    for (int64_t row = 0; row < blocks.padded_rows(); row += kPanelRows) {
      float* panel = others + row * packed.D;
      std::swap_ranges(panel, panel + kPanelRows, panel + kPanelRows);
    }
    return {others, packed.D};
  }

  Scratch<float> packed_, others_;
  CoarseScratch coarse_;
  Scratch<RowState> states_;
  Scratch<int32_t> candidates_;
};

// A block of it: rows or columns of a tile.
struct BlockOf {
  const RowRun& run;
  int64_t b;

  bool operator==(const BlockOf& other) const { return &run == &other.run && b == other.b; }
  int64_t place() const { return run.blocks.first(b); }  // of its first row in the run
  int64_t first() const { return run.first + place(); }  // and among all rows
  int64_t size() const { return run.blocks.size(b); }
  int64_t padded() const { return run.blocks.padded(b); }
  RowState& state(int64_t r) const { return run.states[place() + r]; }
  Candidates candidates_of(int64_t r) const { return run.candidates_of(place() + r); }
};

// Working memory of one thread.
struct TileRoom {
  float* tile;
  int64_t stride;        // between the rows of the tile
  float* t;              // one row of the tile
  float* row_bounds;     // a number for each row of it
  float* column_bounds;  // and for each column
  float* z;              // one row of Z, all zero before and after each use
  uint64_t* pairs;       // a bit for each number of the tile
  int32_t* columns;      // one for each column
  uint64_t* marks;       // of the rows of the tile, where all rows' are too many to be held
  uint64_t* row_marks;   // of one row
};

// The rooms of all threads, for tiles of two runs (or of one with itself).
class TileRooms {
 public:
  void grow(const Blocks& rows, const Blocks& columns, int64_t D, int64_t hops, int64_t mark_words,
            int threads) {
    const int64_t longest = std::max(rows.longest(), columns.longest());
    stride_ = std::max(rows.tile_stride(), columns.tile_stride());
    D_ = D;
    tile_floats_ = longest * stride_ + 3 * stride_;
    tile_words_ = longest * (longest / kPanelRows);
    columns_of_tile_ = longest;
    tile_marks_ = hops * tile_words_;
    row_marks_ = hops * mark_words;
    tiles_.grow(threads * tile_floats_);  // what is not written is never used
    row_.grow_zeroed(threads * D);
    pairs_.grow(threads * tile_words_);
    columns_.grow(threads * longest);
    near_.grow(threads * (tile_marks_ + row_marks_));
  }

  TileRoom of(int thread) {
    float* tile = tiles_.grow(0) + thread * tile_floats_;
    float* t = tile + columns_of_tile_ * stride_;
    uint64_t* near = near_.grow(0) + thread * (tile_marks_ + row_marks_);
    return {.tile = tile,
            .stride = stride_,
            .t = t,
            .row_bounds = t + stride_,
            .column_bounds = t + 2 * stride_,
            .z = row_.grow(0) + thread * D_,
            .pairs = pairs_.grow(0) + thread * tile_words_,
            .columns = columns_.grow(0) + thread * columns_of_tile_,
            .marks = near,
            .row_marks = near + tile_marks_};
  }

 private:
  Scratch<float> tiles_, row_;
  Scratch<uint64_t> pairs_, near_;
  Scratch<int32_t> columns_;
  int64_t stride_ = 0, D_ = 0, tile_floats_ = 0, tile_words_ = 0, columns_of_tile_ = 0;
  int64_t tile_marks_ = 0, row_marks_ = 0;
};

// How far apart the rows of a tile and its columns are.
struct TileMarks {
  const uint64_t* words = nullptr;
  int64_t row_stride = 0, level_stride = 0;
  RowMarks of(int64_t r) const { return {words ? words + r * row_stride : nullptr, level_stride}; }
};

struct ChooseJob {
  const RowRule& rule;
  const uint64_t* marks = nullptr;  // of all rows; null: found for each tile

  TileMarks marks_of(const TileRoom& room, const BlockOf& i, const BlockOf& j) const {
    const HopShells* shells = rule.hops.shells;
    if (!shells) return {};
    const int64_t levels = shells->hops(), words = j.padded() / kPanelRows;
    const int64_t first = j.first() / kPanelRows;
    if (marks) {
      const int64_t of_row = levels * shells->words();
      return {marks + i.first() * of_row + first, of_row, shells->words()};
    }
    for (int64_t r = 0; r < i.size(); ++r) {
      const RowMarks found = shells->marks(i.first() + r, first, words, room.row_marks);
      for (int64_t d = 0; d < levels; ++d) {
        const uint64_t* from = found.words + d * found.stride;
        std::copy(from, from + words, room.marks + (r * levels + d) * words);
      }
    }
    return {room.marks, levels * words, words};
  }
};

// graph_learn_choose by tiles of dense rows, for sparse Z that is nearly dense.
void choose_in_tiles(int32_t* col, int64_t* count, float* lse, const ZSparse<float>& z,
                     const HopWeights<float>& hops, const ChooseOptions& options, int threads);

// Feeds the rows of both blocks with the tile of the two.
void choose_pair(const ChooseJob& job, const TileRoom& room, const BlockOf& i, const BlockOf& j);

// The best pairs of a row (of the run) so far, in no order; returns how many.
int64_t best_pairs(const RowRun& run, int64_t row, const RowRule& rule, float* t, int32_t* columns);

// A pair of a row that was computed elsewhere.
void offer_pair(const RowRun& run, int64_t row, const RowRule& rule, float t, int64_t column);

// Whether tiles of bytes can rule out pairs: not where a row needs all of its numbers, or by
// distance.
template <class Z>
bool may_choose_by_bytes(const Z&, const RowRule& rule) {
  return !rule.needs_rows() && rule.keep > 0;
}
inline bool may_choose_by_bytes(const ZNear&, const RowRule&) { return false; }

}  // namespace glgnn::cpu
