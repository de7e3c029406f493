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
void add_tile(const ChooseJob& job, const TileRoom& room, const TileMarks& marks, const BlockOf& i,
              const BlockOf& j) {
  for (int64_t r = 0; r < i.size(); ++r) {
    add_segment<false>(i.state(r), i.candidates_of(r), room.tile + r * room.stride, room.t,
                       marks.of(r), i.first() + r, j.first(), j.size(), job.rule);
  }
}

// Feeds the rows of block j with t of (i, j) as it lies, a row of each vector's lane.
void add_tile_columns(const ChooseJob& job, const TileRoom& room, const BlockOf& i,
                      const BlockOf& j) {
  const FloatTag d;
  float* bounds = room.t;
  if (job.rule.keep == 0) return;
  bounded_rows(bounds, j, i);
  for (int64_t r = 0; r < i.size(); ++r) {
    const float* t = room.tile + r * room.stride;
    for (int64_t g = 0; g < j.padded(); g += kGroup) {
      uint64_t over =
          lanes_over(t + g, [&](int64_t at) HWY_ATTR { return hn::LoadU(d, bounds + g + at); });
      for (; over != 0; over &= over - 1) {
        const int64_t c = g + std::countr_zero(over);
        if (offer(job.rule, j.state(c), j.candidates_of(c), t[c], i.first() + r)) {
          bounds[c] = strict_bound(j.state(c), i.first());
        }
      }
    }
  }
}

void choose_block_pair(const ChooseJob& job, const TileRoom& room, const BlockOf& i,
                       const BlockOf& j) {
  const TileMarks marks = job.marks_of(room, i, j);
  const bool is_same = i == j;
  if (HWY_NATIVE_FMA && !is_same && i.run.coarse.usable() && j.run.coarse.usable() &&
      choose_by_bytes(job, room, marks, i, j)) {
    return;
  }
  const PackedRows &rows = i.run.z, &columns = j.run.others;
  if (is_same) {
    symmetric_tile(room.tile, room.stride, rows.from(i.place()), columns.from(j.place()),
                   i.padded(), rows.D);
  } else {
    similarity_tile(room.tile, room.stride, rows.from(i.place()), i.padded(),
                    columns.from(j.place()), j.padded(), rows.D);
  }
  if (!job.rule.needs_rows()) {
    for (int64_t r = 0; marks.words && r < i.size(); ++r) {
      float* row = room.tile + r * room.stride;
      raise_marked(row, row, j.padded(), marks.of(r), job.rule);
    }
    add_tile(job, room, {}, i, j);
    if (!is_same) add_tile_columns(job, room, i, j);
    return;
  }
  add_tile(job, room, marks, i, j);
  if (is_same) return;
  transpose_in_place(room.tile, room.stride, std::max(i.padded(), j.padded()));
  add_tile(job, room, job.marks_of(room, j, i), j, i);
}

int64_t finish_dense_row(const RowRun& run, int64_t row, int32_t* col, const Marks& marks,
                         const RowRule& rule) {
  return finish_row(run.states[row], run.candidates_of(row), col, marks, rule);
}

int64_t take_best_pairs(const RowRun& run, int64_t row, const RowRule& rule, float* t,
                        int32_t* columns) {
  RowState& state = run.states[row];
  const Candidates from = run.candidates_of(row);
  if (state.held > rule.keep) select_best(state, from, rule);
  for (int64_t c = 0; c < state.held; ++c) {
    t[c] = from_key(from.key[c]);
    columns[c] = from.column[c];
  }
  return state.held;
}

void offer_to_row(const RowRun& run, int64_t row, const RowRule& rule, float t, int64_t column) {
  if (t > strict_bound(run.states[row], column)) {
    offer(rule, run.states[row], run.candidates_of(row), t, column);
  }
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {

HWY_EXPORT(choose_block_pair);
HWY_EXPORT(finish_dense_row);
HWY_EXPORT(take_best_pairs);
HWY_EXPORT(offer_to_row);

// Kept between calls, by each thread that calls.
struct DenseScratch {
  RunRoom run;
  Scratch<uint64_t> marks, near;
  TileRooms rooms;
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
void choose(int32_t* col, int64_t* count, float* lse, const Z& z, const HopWeights<float>& hops,
            const ChooseOptions& options, int threads) {
  // The choice is the same for any order of the pairs; the sum of exponentials is not.
  const Blocks blocks(z.rows(), lse || threads > 2 ? 8 : 4);
  const RowRule rule(hops, options, z.rows(), lse != nullptr);
  const bool by_bytes = may_choose_by_bytes(z, rule) && blocks.count() > 1;
  const RowRun run = scratch.run.pack(z, blocks, 0, rule, by_bytes, threads);
  const ChooseJob job{rule, mark_all_rows(hops.shells, threads)};
  const float* floors = first_floors(z, rule, options.likely, threads);
  for (int64_t i = 0; i < z.rows(); ++i) {
    run.states[i] = start_state(floors ? floors[i] : rule.first_floor());
  }
  const bool marks_tiles = hops.shells && !job.marks;
  TileRooms& rooms = scratch.rooms;  // of this thread: others have a scratch of their own
  rooms.grow(blocks, blocks, run.z.D, marks_tiles ? hops.shells->hops() : 0,
             marks_tiles ? hops.shells->words() : 0, threads);
  for_each_block_pair(blocks, threads, [&](int64_t i, int64_t j, int thread) {
    choose_pair(job, rooms.of(thread), {run, i}, {run, j});
  });
  const int64_t words = Marks::words(z.rows());
  uint64_t* marks = scratch.marks.grow_zeroed(threads * words);
  parallel_for(z.rows(), threads, 0, [&](int64_t i, int thread) {
    count[i] = HWY_DYNAMIC_DISPATCH(finish_dense_row)(run, i, col + i * options.k,
                                                      Marks{marks + thread * words, words}, rule);
    if (lse) lse[i] = log_sum_exp(run.states[i]);
  });
  scratch.run.release_if_large();
  scratch.near.release_if_large();
}

}  // namespace

void graph_learn_choose(int32_t* col, int64_t* count, float* lse, const ZDense<float>& z,
                        const HopWeights<float>& hops, const ChooseOptions& options, int threads) {
  choose(col, count, lse, z, hops, options, threads);
}

void choose_pair(const ChooseJob& job, const TileRoom& room, const BlockOf& i, const BlockOf& j) {
  HWY_DYNAMIC_DISPATCH(choose_block_pair)(job, room, i, j);
}

int64_t best_pairs(const RowRun& run, int64_t row, const RowRule& rule, float* t,
                   int32_t* columns) {
  return HWY_DYNAMIC_DISPATCH(take_best_pairs)(run, row, rule, t, columns);
}

void offer_pair(const RowRun& run, int64_t row, const RowRule& rule, float t, int64_t column) {
  HWY_DYNAMIC_DISPATCH(offer_to_row)(run, row, rule, t, column);
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
