// The arithmetic of row_handler.h (Highway: this file is read once for each instruction set).
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/graph_learn/best_pairs-inl.h"
#include "kernels/cpu/graph_learn/row_handler.h"
#include "kernels/cpu/simd_math-inl.h"

#if defined(GLGNN_KERNELS_CPU_ROW_HANDLER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GLGNN_KERNELS_CPU_ROW_HANDLER_INL_H_
#undef GLGNN_KERNELS_CPU_ROW_HANDLER_INL_H_
#else
#define GLGNN_KERNELS_CPU_ROW_HANDLER_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// state.sum and state.top take in `count` columns, a multiple of kGroup.
HWY_INLINE void add_exponentials(RowState& state, const float* s, int64_t count) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  FloatVec highest = hn::Set(d, kNegativeInfinity);
  for (int64_t j = 0; j < count; j += lanes) highest = hn::Max(highest, hn::LoadU(d, s + j));
  const float top = hn::GetLane(hn::MaxOfLanes(d, highest));
  if (top > state.top) {
    state.sum *= std::exp(static_cast<double>(state.top) - top);
    state.top = top;
  }
  if (state.top == kNegativeInfinity) return;
  const FloatVec shift = hn::Set(d, state.top);
  FloatVec sum0 = hn::Zero(d), sum1 = hn::Zero(d), sum2 = hn::Zero(d);
  for (int64_t j = 0; j < count; j += 3 * lanes) {
    sum0 = hn::Add(sum0, exp(hn::Sub(hn::LoadU(d, s + j), shift)));
    sum1 = hn::Add(sum1, exp(hn::Sub(hn::LoadU(d, s + j + lanes), shift)));
    sum2 = hn::Add(sum2, exp(hn::Sub(hn::LoadU(d, s + j + 2 * lanes), shift)));
  }
  state.sum += hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), sum2)));
}

// Minus infinity where S is not positive.
HWY_INLINE void forbid_negative(float* HWY_RESTRICT t, const float* HWY_RESTRICT s, int64_t count) {
  const FloatTag d;
  const FloatVec never = hn::Set(d, kNegativeInfinity);
  for (int64_t j = 0; j < count; j += static_cast<int64_t>(hn::Lanes(d))) {
    const FloatVec value = hn::LoadU(d, s + j);
    hn::StoreU(hn::IfThenElse(hn::Gt(value, hn::Zero(d)), value, never), d, t + j);
  }
}

// S of the near pairs of a segment becomes t = S + log(h / h_other).
HWY_INLINE void raise_near(float* s, int64_t row, int64_t first, int64_t count,
                           const RowRule& rule) {
  const NearRun run = near_run(rule.hops.near, row, first, first + count);
  for (int64_t e = run.begin; e < run.end; ++e) s[rule.hops.near.col[e] - first] += rule.boost(e);
}

// t = S + what the marks of its column add; t may be S.
HWY_INLINE void raise_marked(float* t, const float* s, int64_t count, const RowMarks& marks,
                             const RowRule& rule) {
  const FloatTag d;
  const auto levels = static_cast<int64_t>(rule.boost_of_shell.size());
  const uint64_t* words = marks.words;
  for (int64_t j = 0; j < count; j += kGroup, ++words) {
    if (words[(levels - 1) * marks.stride] == 0) {  // the last level has all that are marked
      if (t != s) std::copy(s + j, s + j + kGroup, t + j);
      continue;
    }
    for (int64_t v = 0; v < kGroup; v += static_cast<int64_t>(hn::Lanes(d))) {
      FloatVec boost = hn::Zero(d);
      for (int64_t level = levels - 1; level >= 0; --level) {
        const uint64_t bits = words[level * marks.stride] >> v;
        const auto is_within = hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&bits));
        boost = hn::IfThenElse(is_within, hn::Set(d, rule.boost_of_shell[level]), boost);
      }
      hn::StoreU(hn::Add(hn::LoadU(d, s + j + v), boost), d, t + j + v);
    }
  }
}

// A bit for each of kGroup numbers that is above its bound; bound(at) gives those of the vector
// that begins at number `at`.
template <class GetBound>
HWY_INLINE uint64_t lanes_over(const float* t, GetBound&& bound) {
  const FloatTag d;
  uint64_t over = 0;
  for (int64_t j = 0; j < kGroup; j += static_cast<int64_t>(hn::Lanes(d))) {
    uint64_t bits = 0;
    hn::StoreMaskBits(d, hn::Gt(hn::LoadU(d, t + j), bound(j)), reinterpret_cast<uint8_t*>(&bits));
    over |= bits << j;
  }
  return over;
}

HWY_INLINE void put_candidate(const Candidates& to, int64_t at, float t, int64_t column) {
  to.key[at] = to_key(t + 0.0f);
  to.column[at] = static_cast<int32_t>(column);
}

// The pairs of a segment that may be among the best go to the buffers.
HWY_INLINE void gather_candidates(RowState& state, const Candidates& to, const float* t,
                                  int64_t first, int64_t count, const RowRule& rule) {
  const FloatTag d;
  int64_t held = state.held;
  FloatVec bound = hn::Set(d, strict_bound(state, first));
  for (int64_t g = 0; g < count; g += kGroup) {
    uint64_t over = lanes_over(t + g, [&](int64_t) HWY_ATTR { return bound; });
    for (; over != 0; over &= over - 1, ++held) {
      const int64_t j = g + std::countr_zero(over);
      put_candidate(to, held, t[j], first + j);
    }
    if (held > rule.limit) {
      state.held = static_cast<int32_t>(held);
      select_best(state, to, rule);
      held = state.held;
      bound = hn::Set(d, strict_bound(state, first));
    }
  }
  state.held = static_cast<int32_t>(held);
}

// Takes in S of (row, first .. first + count - 1), or t where it has been raised by its marks
// already. s has room up to the next multiple of kGroup, and loses its diagonal if that is
// excluded; t is working memory of the same size. kWhole: the segment is the whole row.
template <bool kWhole>
HWY_INLINE void add_segment(RowState& state, const Candidates& to, float* s, float* t,
                            const RowMarks& marks, int64_t row, int64_t first, int64_t count,
                            const RowRule& rule) {
  const int64_t padded = round_up(count, kGroup);
  std::fill(s + count, s + padded, kNegativeInfinity);
  if (!rule.diagonal && row >= first && row < first + count) s[row - first] = kNegativeInfinity;
  if (rule.lse) {
    for (int64_t j = 0; j < padded; j += kSumColumns) {
      add_exponentials(state, s + j, std::min(kSumColumns, padded - j));
    }
  }
  if (rule.keep == 0) return;
  const float* from = s;
  if (rule.positive_only && rule.has_hops()) {
    forbid_negative(t, s, padded);
    from = t;
  }
  if (marks.words) {
    raise_marked(t, from, padded, marks, rule);
    from = t;
  } else if (rule.hops.near.rows > 0) {
    if (from != t) std::copy(s, s + padded, t);
    raise_near(t, row, first, padded, rule);
    from = t;
  }
  if (kWhole) raise_floor(state, to, from, padded, rule);
  gather_candidates(state, to, from, first, padded, rule);
}

// Writes the chosen columns, ascending, and returns how many.
HWY_INLINE int64_t finish_row(RowState& state, const Candidates& from, int32_t* col,
                              const Marks& marks, const RowRule& rule) {
  if (state.held > rule.keep) select_best(state, from, rule);
  sort_columns(col, from.column, state.held, marks);
  return state.held;
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
