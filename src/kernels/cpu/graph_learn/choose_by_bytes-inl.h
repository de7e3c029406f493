// Choosing in a tile of S of which only the pairs that may matter are computed; products of bytes
// rule out the others (coarse_rows.h). The choice is the same.
//
// Highway: this file is read once for each instruction set.
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/graph_learn/choose_job.h"
#include "kernels/cpu/graph_learn/coarse_rows.h"
#include "kernels/cpu/graph_learn/row_handler-inl.h"

#if defined(GLGNN_KERNELS_CPU_CHOOSE_BY_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GLGNN_KERNELS_CPU_CHOOSE_BY_BYTES_INL_H_
#undef GLGNN_KERNELS_CPU_CHOOSE_BY_BYTES_INL_H_
#else
#define GLGNN_KERNELS_CPU_CHOOSE_BY_BYTES_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// A tile in which more than one pair of so many may matter is faster computed as a whole.
constexpr int64_t kCoarsePart = 24;

// The rows of block b, and what S must exceed for them in the columns of block `other`.
HWY_INLINE BoundedRows bounded_rows(float* bounds, const BlockOf& b, const BlockOf& other) {
  for (int64_t r = 0; r < b.size(); ++r) bounds[r] = strict_bound(b.state(r), other.first());
  std::fill(bounds + b.size(), bounds + b.padded(), std::numeric_limits<float>::infinity());
  return {b.place(), b.padded(), bounds};
}

// The last level has all pairs that are raised, by as much as any of them.
HWY_INLINE RaisedPairs raised_pairs(const ChooseJob& job, const TileMarks& marks) {
  if (!marks.words) return {};
  const int64_t last = static_cast<int64_t>(job.rule.boost_of_shell.size()) - 1;
  return {marks.words + last * marks.level_stride, marks.row_stride, job.rule.largest_boost()};
}

// The marked columns of a row of the tile, ascending; returns how many.
HWY_INLINE int64_t list_marked(int32_t* to, const uint64_t* words, int64_t columns) {
  int64_t count = 0;
  for (int64_t first = 0; first < columns; first += kPanelRows) {
    for (uint64_t bits = *words++; bits != 0; bits &= bits - 1) {
      to[count++] = static_cast<int32_t>(first + std::countr_zero(bits));
    }
  }
  while (count > 0 && to[count - 1] >= columns) --count;  // of the padding
  return count;
}

// S of a dense row and row j of Z, with the bits of the tiles: there, too, the sum goes over the
// features in order, and features that are zero change nothing.
HWY_INLINE float sparse_product(const ZRows& z, const float* row, int64_t j) {
  float sum = 0;
  for (int64_t e = z.pattern.row_ptr[j]; e < z.pattern.row_ptr[j + 1]; ++e) {
    sum = std::fma(z.values[e], row[z.pattern.col[e]], sum);
  }
  return sum;
}

// The same for four rows; at once, because each step of a sum waits for the one before.
HWY_INLINE void dense_products(float* to, MatView<const float> z, const float* row,
                               const int64_t* others) {
  const float *a = z[others[0]], *b = z[others[1]], *c = z[others[2]], *d = z[others[3]];
  float sum_a = 0, sum_b = 0, sum_c = 0, sum_d = 0;
  for (int64_t f = 0; f < z.cols; ++f) {
    sum_a = std::fma(a[f], row[f], sum_a);
    sum_b = std::fma(b[f], row[f], sum_b);
    sum_c = std::fma(c[f], row[f], sum_c);
    sum_d = std::fma(d[f], row[f], sum_d);
  }
  to[0] = sum_a;
  to[1] = sum_b;
  to[2] = sum_c;
  to[3] = sum_d;
}

// S of row r of block i and the listed columns of block j, in the tile's row `to`.
HWY_INLINE void fill_listed(const TileRoom& room, float* to, const BlockOf& i, int64_t r,
                            const BlockOf& j, int64_t count) {
  const ZRows &mine = i.run.rows, &z = j.run.rows;
  const int32_t* columns = room.columns;
  const int64_t row = i.place() + r, first = j.place();
  if (!z.values) {
    for (int64_t c = 0; c < count; c += 4) {
      int64_t others[4];
      float s[4];
      for (int64_t q = 0; q < 4; ++q) others[q] = first + columns[std::min(c + q, count - 1)];
      dense_products(s, z.dense, mine.dense[row], others);
      for (int64_t q = 0; q < 4 && c + q < count; ++q) to[columns[c + q]] = s[q];
    }
    return;
  }
  const int64_t begin = mine.pattern.row_ptr[row], end = mine.pattern.row_ptr[row + 1];
  for (int64_t e = begin; e < end; ++e) room.z[mine.pattern.col[e]] = mine.values[e];
  for (int64_t c = 0; c < count; ++c) {
    to[columns[c]] = sparse_product(z, room.z, first + columns[c]);
  }
  for (int64_t e = begin; e < end; ++e) room.z[mine.pattern.col[e]] = 0;
}

// A pair that may be among the best of its row. True where the row's floor rose by it.
HWY_INLINE bool offer(const RowRule& rule, RowState& state, const Candidates& to, float t,
                      int64_t column) {
  put_candidate(to, state.held++, t, column);
  if (state.held <= rule.limit) return false;
  select_best(state, to, rule);
  return true;
}

// Feeds the rows of blocks i and j with the tile of (i, j). False where bytes do not rule out
// enough pairs to be faster; nothing is done then.
HWY_INLINE bool choose_by_bytes(const ChooseJob& job, const TileRoom& room, const TileMarks& marks,
                                const BlockOf& i, const BlockOf& j) {
  const int64_t words = j.padded() / kPanelRows;
  const int64_t most = i.padded() * j.padded() / kCoarsePart;
  const BoundedRows rows = bounded_rows(room.row_bounds, i, j);
  const BoundedRows others = bounded_rows(room.column_bounds, j, i);
  if (!find_coarse_pairs(room.pairs, i.run.coarse, rows, j.run.coarse, others,
                         raised_pairs(job, marks), most)) {
    return false;
  }
  const int32_t* listed = room.columns;
  for (int64_t r = 0; r < i.size(); ++r) {
    float* t = room.tile + r * room.stride;
    const int64_t count = list_marked(room.columns, room.pairs + r * words, j.size());
    fill_listed(room, t, i, r, j, count);
    for (int64_t c = 0; c < count; ++c) {
      float& at = t[listed[c]];
      if (marks.words) at += job.rule.boost(marks.of(r), listed[c]);
      if (at > rows.bounds[r]) {
        offer(job.rule, i.state(r), i.candidates_of(r), at, j.first() + listed[c]);
      }
    }
  }
  for (int64_t r = 0; r < i.size(); ++r) {
    const float* t = room.tile + r * room.stride;
    const int64_t count = list_marked(room.columns, room.pairs + r * words, j.size());
    for (int64_t c = 0; c < count; ++c) {
      const float at = t[listed[c]];
      if (at > others.bounds[listed[c]]) {
        offer(job.rule, j.state(listed[c]), j.candidates_of(listed[c]), at, i.first() + r);
      }
    }
  }
  return true;
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
