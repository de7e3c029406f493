// What is kept of one row of S while its columns stream by: the running log-sum-exp and the k best
// pairs.
//
// A row is fed in segments of columns, in any order; the arithmetic is in row_handler-inl.h. Pairs
// are ordered by t = S + log(h / h_other), larger first, then by column, smaller first: a total
// order, so that the chosen set depends on the numbers only and not on the order in which they
// come.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/cpu/graph_learn/blocks.h"
#include "kernels/graph_learn.h"
#include "kernels/hops.h"

namespace glgnn::cpu {

// Candidates are tested in groups of this many columns; segments are padded to a multiple of it.
inline constexpr int64_t kGroup = kPanelRows;
static_assert(kGroup == kMarkedColumns);
// Exponentials are summed in float over this many columns, then in double.
inline constexpr int64_t kSumColumns = 32 * kGroup;

struct RowState {
  double sum = 0;  // of exp(S - top)
  float top = -std::numeric_limits<float>::infinity();
  float floor = -std::numeric_limits<float>::infinity();  // t of the worst pair that may still stay
  int32_t floor_column = -1;                              // and its column
  int32_t held = 0;                                       // candidates in the buffers
};

// Room for the candidates of one row. A key is t as an integer that sorts like it.
struct Candidates {
  int32_t* key;
  int32_t* column;
};

// The part of a call that is the same for all rows.
struct RowRule {
  RowRule(const HopWeights<float>& hop_weights, const ChooseOptions& options, int64_t rows,
          bool wants_lse)
      : hops(hop_weights),
        log_other(log_of_other(hop_weights)),
        columns(rows),
        keep(std::min(options.k, rows)),
        limit(std::min(rows, keep + std::max<int64_t>(keep, 64))),
        diagonal(options.diagonal),
        positive_only(options.positive_only),
        lse(wants_lse) {
    for (int64_t d = 0; hops.shells && d < hops.shells->hops(); ++d) {
      boost_of_shell.push_back(std::log(hops.h_of_shell[d]) - log_other);
    }
  }

  static float log_of_other(const HopWeights<float>& hops) {
    if (hops.shells) return std::log(hops.h_of_shell[hops.shells->hops()]);
    return hops.near.rows > 0 ? std::log(hops.h_other) : 0.0f;
  }

  // Numbers in each buffer of Candidates: a whole group may be added when `limit` is nearly
  // reached.
  int64_t capacity() const { return round_up(limit + kGroup, 16) + 16; }
  bool has_hops() const { return hops.is_used(); }
  // Whether t of a pair is the same for both of its rows, and is S and what its marks add.
  bool is_symmetric() const {
    return !has_hops() || (hops.shells && hops.shells->is_symmetric() && !positive_only);
  }
  // Whether the numbers of a row must lie side by side: to sum exponentials, or because t is one's
  // own.
  bool needs_rows() const { return lse || !is_symmetric(); }
  // What t has above S, for near pair e.
  float boost(int64_t e) const { return std::log(hops.h[e]) - log_other; }
  // And for the column of a marked row.
  float boost(const RowMarks& marks, int64_t column) const {
    for (size_t d = 0; d < boost_of_shell.size(); ++d) {
      const uint64_t word = marks.words[static_cast<int64_t>(d) * marks.stride + column / kGroup];
      if (word >> (column % kGroup) & 1) return boost_of_shell[d];
    }
    return 0.0f;
  }
  // The most that t has above S.
  float largest_boost() const {
    float largest = 0.0f;
    for (const float boost : boost_of_shell) largest = std::max(largest, boost);
    return largest;
  }
  // What t must exceed before any pair was seen: without hops t is S.
  float first_floor() const {
    return positive_only && !has_hops() ? 0.0f : -std::numeric_limits<float>::infinity();
  }

  HopWeights<float> hops;
  std::vector<float> boost_of_shell;
  float log_other;
  int64_t columns;
  int64_t keep;
  int64_t limit;  // held candidates beyond which the best `keep` are selected
  bool diagonal;
  bool positive_only;
  bool lse;
};

// Entries begin .. end - 1 of a pattern.
struct NearRun {
  int64_t begin, end;
};

// The first of ascending columns that is not below `column`. Without branches, which nothing
// could predict.
inline int64_t first_not_below(const int32_t* columns, int64_t count, int64_t column) {
  const int32_t* at = columns;
  for (; count > 1; count -= count / 2) at += count / 2 * (at[count / 2 - 1] < column);
  return at - columns + (count == 1 && *at < column);
}

// The near pairs of a row whose columns are first .. last - 1.
inline NearRun near_run(const PatternView& near, int64_t row, int64_t first, int64_t last) {
  const int64_t begin = near.row_ptr[row], end = near.row_ptr[row + 1];
  NearRun run{begin + first_not_below(near.col + begin, end - begin, first), begin};
  for (run.end = run.begin; run.end < end && near.col[run.end] < last;) ++run.end;
  return run;
}

// A bit for each column; all zero before and after each use.
struct Marks {
  static int64_t words(int64_t columns) { return (columns + 63) / 64; }
  uint64_t* word;
  int64_t count;
};

// to = the n different columns in ascending order, in O(n + columns / 64): several times faster
// than std::sort.
inline void sort_columns(int32_t* to, const int32_t* from, int64_t n, const Marks& marks) {
  for (int64_t c = 0; c < n; ++c) marks.word[from[c] / 64] |= uint64_t{1} << (from[c] % 64);
  for (int64_t w = 0; w < marks.count; ++w) {
    for (uint64_t bits = marks.word[w]; bits != 0; bits &= bits - 1) {
      *to++ = static_cast<int32_t>(64 * w + std::countr_zero(bits));
    }
    marks.word[w] = 0;
  }
}

// The state of a row before any pair was seen; t must exceed `floor`.
inline RowState start_state(float floor) {
  RowState state;
  state.floor = floor;
  return state;
}

inline float log_sum_exp(const RowState& state) {
  return static_cast<float>(state.top + std::log(state.sum));
}

}  // namespace glgnn::cpu
