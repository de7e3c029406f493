#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/graph_learn/dense.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "kernels/cpu/graph_learn/blocks.h"
#include "kernels/cpu/graph_learn/choose_by_bytes-inl.h"
#include "kernels/cpu/graph_learn/choose_job.h"
#include "kernels/cpu/graph_learn/first_floors.h"
#include "kernels/cpu/graph_learn/packed_rows.h"
#include "kernels/cpu/graph_learn/row_handler-inl.h"
#include "kernels/cpu/graph_learn/tile_gemm-inl.h"
#include "kernels/cpu/scratch.h"
#include "kernels/graph_learn.h"
#include "kernels/nearest_rows.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// Feeds the rows of block i with a tile whose columns are block j; without marks the tile has t.
void add_tile(const ChooseJob& job, float* tile, float* t, const TileMarks& marks, int64_t i,
              int64_t j) {
  const int64_t first_row = job.blocks.first(i), rows = job.blocks.size(i);
  const int64_t first_column = job.blocks.first(j), columns = job.blocks.size(j);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t row = first_row + r;
    add_segment<false>(job.states[row], job.candidates_of(row), tile + r * job.blocks.tile_stride(),
                       t, marks.of(r), row, first_column, columns, job.rule);
  }
}

// Feeds the rows of block j with t of (i, j) as it lies, a row of each vector's lane.
void add_tile_columns(const ChooseJob& job, const float* tile, float* bounds, int64_t i,
                      int64_t j) {
  const FloatTag d;
  const int64_t first_row = job.blocks.first(j), padded = job.blocks.padded(j);
  const int64_t first_column = job.blocks.first(i);
  if (job.rule.keep == 0) return;
  bounded_rows(job, bounds, j, i);
  for (int64_t r = 0; r < job.blocks.size(i); ++r) {
    const float* t = tile + r * job.blocks.tile_stride();
    for (int64_t g = 0; g < padded; g += kGroup) {
      uint64_t over =
          lanes_over(t + g, [&](int64_t at) HWY_ATTR { return hn::LoadU(d, bounds + g + at); });
      for (; over != 0; over &= over - 1) {
        const int64_t c = g + std::countr_zero(over), row = first_row + c;
        if (offer(job, row, t[c], first_column + r)) {
          bounds[c] = strict_bound(job.states[row], first_column);
        }
      }
    }
  }
}

void choose_block_pair(const ChooseJob& job, const TileRoom& room, int64_t i, int64_t j) {
  float *tile = room.tile, *t = room.t;
  const TileMarks marks = job.marks_of(room, i, j);
  if (HWY_NATIVE_FMA && i != j && job.coarse.usable() && choose_by_bytes(job, room, marks, i, j)) {
    return;
  }
  if (i == j) {
    symmetric_tile(tile, job.blocks.tile_stride(), job.z.from(job.blocks.first(i)),
                   job.others.from(job.blocks.first(i)), job.blocks.padded(i), job.z.D);
  } else {
    similarity_tile(tile, job.blocks.tile_stride(), job.z.from(job.blocks.first(i)),
                    job.blocks.padded(i), job.others.from(job.blocks.first(j)),
                    job.blocks.padded(j), job.z.D);
  }
  if (!job.rule.needs_rows()) {
    for (int64_t r = 0; marks.words && r < job.blocks.size(i); ++r) {
      float* row = tile + r * job.blocks.tile_stride();
      raise_marked(row, row, job.blocks.padded(j), marks.of(r), job.rule);
    }
    add_tile(job, tile, t, {}, i, j);
    if (i != j) add_tile_columns(job, tile, t, i, j);
    return;
  }
  add_tile(job, tile, t, marks, i, j);
  if (i == j) return;
  transpose_in_place(tile, job.blocks.tile_stride(),
                     std::max(job.blocks.padded(i), job.blocks.padded(j)));
  add_tile(job, tile, t, job.marks_of(room, j, i), j, i);
}

int64_t finish_dense_row(const ChooseJob& job, int64_t row, int32_t* col, const Marks& marks) {
  return finish_row(job.states[row], job.candidates_of(row), col, marks, job.rule);
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {

HWY_EXPORT(choose_block_pair);
HWY_EXPORT(finish_dense_row);

// Kept between calls, by each thread that calls.
struct DenseScratch {
  Scratch<float> packed, others, tiles, row;
  Scratch<uint64_t> pairs;
  CoarseScratch coarse;
  Scratch<RowState> states;
  Scratch<int32_t> candidates, columns;
  Scratch<uint64_t> marks, near, tile_near;
};
thread_local DenseScratch scratch;

// The marks of all rows, or null where they are too many.
const uint64_t* mark_all_rows(const HopShells* shells, int threads) {
  if (!shells) return nullptr;
  const int64_t rows = shells->rows(), words = shells->words(), of_row = shells->hops() * words;
  if (HopShells::search_bytes(rows, shells->hops()) == 0) return nullptr;
  uint64_t* near = scratch.near.grow(round_up(rows, kPanelRows) * of_row);  // whole panels are read
  parallel_for(rows, threads, 64,
               [&](int64_t i) { shells->marks(i, 0, words, near + i * of_row); });
  return near;
}

template <class Z>
PackedRows pack_others(const Z&, const PackedRows& packed, const Blocks&) {
  return packed;
}
// The last two features change places.
PackedRows pack_others(const ZNear& z, const PackedRows& packed, const Blocks& blocks) {
  float* others = scratch.others.grow(blocks.padded_rows() * packed.D);
  std::copy(packed.data, packed.data + blocks.padded_rows() * packed.D, others);
  for (int64_t first = 0; first < blocks.padded_rows(); first += kPanelRows) {
    float* last = others + first * packed.D + z.z.cols * kPanelRows;
    std::swap_ranges(last, last + kPanelRows, last + kPanelRows);
  }
  return {others, packed.D};
}

template <class Z>
void choose(int32_t* col, int64_t* count, float* lse, const Z& z, const HopWeights<float>& hops,
            const ChooseOptions& options, int threads) {
  // The choice is the same for any order of the pairs; the sum of exponentials is not.
  const Blocks blocks(z.rows(), lse || threads > 2 ? 8 : 4);
  const RowRule rule(hops, options, z.rows(), lse != nullptr);
  const PackedRows packed = pack_rows(scratch.packed, z, blocks, threads);
  const PackedRows others = pack_others(z, packed, blocks);
  const bool may_skip =
      packed.data == others.data && !rule.needs_rows() && rule.keep > 0 && blocks.count() > 1;
  const CoarseRows coarse =
      may_skip ? pack_coarse_rows(scratch.coarse, packed, blocks, threads) : CoarseRows{};
  const ChooseJob job{blocks,
                      packed,
                      others,
                      coarse,
                      rows_of(z),
                      rule,
                      scratch.states.grow(z.rows()),
                      scratch.candidates.grow(2 * rule.capacity() * z.rows()),
                      mark_all_rows(hops.shells, threads)};
  const float* floors = first_floors(z, rule, options.likely, threads);
  for (int64_t i = 0; i < z.rows(); ++i) {
    job.states[i] = start_state(floors ? floors[i] : rule.first_floor());
  }
  const int64_t tile_words = blocks.longest() * (blocks.longest() / kPanelRows);
  const int64_t tile_floats = blocks.tile_size() + 3 * blocks.tile_stride();
  float* tiles = scratch.tiles.grow(threads * tile_floats);  // what is not written is never used
  float* row = scratch.row.grow_zeroed(threads * packed.D);
  uint64_t* pairs = scratch.pairs.grow(threads * tile_words);
  int32_t* columns = scratch.columns.grow(threads * blocks.longest());
  const bool marks_tiles = hops.shells && !job.marks;
  const int64_t row_marks = marks_tiles ? hops.shells->hops() * hops.shells->words() : 0;
  const int64_t tile_marks = marks_tiles ? hops.shells->hops() * tile_words : 0;
  uint64_t* near = scratch.tile_near.grow(threads * (tile_marks + row_marks));
  for_each_block_pair(blocks, threads, [&](int64_t i, int64_t j, int thread) {
    float* tile = tiles + thread * tile_floats;
    float* t = tile + blocks.tile_size();
    const TileRoom room{.tile = tile,
                        .t = t,
                        .row_bounds = t + blocks.tile_stride(),
                        .column_bounds = t + 2 * blocks.tile_stride(),
                        .z = row + thread * packed.D,
                        .pairs = pairs + thread * tile_words,
                        .columns = columns + thread * blocks.longest(),
                        .marks = near + thread * (tile_marks + row_marks),
                        .row_marks = near + thread * (tile_marks + row_marks) + tile_marks};
    HWY_DYNAMIC_DISPATCH(choose_block_pair)(job, room, i, j);
  });
  const int64_t words = Marks::words(z.rows());
  uint64_t* marks = scratch.marks.grow_zeroed(threads * words);
  parallel_for(z.rows(), threads, 0, [&](int64_t i, int thread) {
    count[i] = HWY_DYNAMIC_DISPATCH(finish_dense_row)(job, i, col + i * options.k,
                                                      Marks{marks + thread * words, words});
    if (lse) lse[i] = log_sum_exp(job.states[i]);
  });
  scratch.packed.release_if_large();
  scratch.others.release_if_large();
  scratch.coarse.bytes.release_if_large();
  scratch.candidates.release_if_large();
  scratch.near.release_if_large();
}

}  // namespace

void graph_learn_choose(int32_t* col, int64_t* count, float* lse, const ZDense<float>& z,
                        const HopWeights<float>& hops, const ChooseOptions& options, int threads) {
  choose(col, count, lse, z, hops, options, threads);
}

void choose_in_tiles(int32_t* col, int64_t* count, float* lse, const ZSparse<float>& z,
                     const HopWeights<float>& hops, const ChooseOptions& options, int threads) {
  choose(col, count, lse, z, hops, options, threads);
}

void nearest_rows(int32_t* col, MatView<const float> z, int64_t k, int threads) {
  const int64_t kept = std::min(k, z.rows - 1);
  if (kept < 1) return;
  std::vector<int64_t> count(z.rows);
  choose(col, count.data(), nullptr, ZNear{z}, {}, {.k = kept}, threads);
}

}  // namespace glgnn::cpu
#endif
