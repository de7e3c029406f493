// The arithmetic of row_handler.h (Highway: this file is read once for each instruction set).
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/row_handler.h"
#include "kernels/cpu/simd_math-inl.h"

#if defined(GLGNN_KERNELS_CPU_ROW_HANDLER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GLGNN_KERNELS_CPU_ROW_HANDLER_INL_H_
#undef GLGNN_KERNELS_CPU_ROW_HANDLER_INL_H_
#else
#define GLGNN_KERNELS_CPU_ROW_HANDLER_INL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

using IntTag = hn::RebindToSigned<FloatTag>;
using IntVec = hn::Vec<IntTag>;

inline constexpr float kNegativeInfinity = -std::numeric_limits<float>::infinity();

// Integers that sort like the floats they come from; its own inverse. -0 and +0 differ: add 0
// first.
HWY_INLINE int32_t to_key(float t) {
  const int32_t bits = std::bit_cast<int32_t>(t);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
HWY_INLINE float from_key(int32_t key) {
  return std::bit_cast<float>(key ^ ((key >> 31) & 0x7fffffff));
}
HWY_INLINE IntVec to_key(FloatVec t) {
  const IntTag di;
  const IntVec bits = hn::BitCast(di, hn::Add(t, hn::Zero(FloatTag())));
  return hn::Xor(bits, hn::And(hn::ShiftRight<31>(bits), hn::Set(di, 0x7fffffff)));
}

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

// t = S + log(h / h_other) into `t`; a pair that may not be chosen gets minus infinity.
HWY_INLINE void weigh_pairs(float* HWY_RESTRICT t, const float* HWY_RESTRICT s, int64_t row,
                            int64_t first, int64_t count, const RowRule& rule) {
  const FloatTag d;
  const FloatVec bound = hn::Set(d, rule.positive_only ? 0.0f : kNegativeInfinity);
  const FloatVec never = hn::Set(d, kNegativeInfinity);
  for (int64_t j = 0; j < count; j += static_cast<int64_t>(hn::Lanes(d))) {
    const FloatVec value = hn::LoadU(d, s + j);
    hn::StoreU(hn::IfThenElse(hn::Gt(value, bound), value, never), d, t + j);
  }
  const PatternView& near = rule.hops.near;
  if (near.rows == 0) return;
  const int32_t* end = near.col + near.row_ptr[row + 1];
  const int32_t* column = std::lower_bound(near.col + near.row_ptr[row], end, first);
  for (; column != end && *column < first + count; ++column) {
    t[*column - first] += std::log(rule.hops.h[column - near.col]) - rule.log_other;
  }
}

// How many held pairs pass; the test takes (key, column) and gives a mask.
template <class Test>
HWY_INLINE int64_t count_pairs(const Candidates& from, int64_t held, Test&& test) {
  const IntTag di;
  int64_t count = 0;
  for (int64_t c = 0; c < held; c += static_cast<int64_t>(hn::Lanes(di))) {
    const auto passes = test(hn::Load(di, from.key + c), hn::Load(di, from.column + c));
    count += static_cast<int64_t>(hn::CountTrue(di, passes));
  }
  return count;
}

// Keeps the held pairs above the floor, and those that equal it before the floor's column; returns
// how many. No branches: which pairs stay cannot be predicted.
HWY_INLINE int64_t keep_pairs(const Candidates& from, int64_t held, int32_t floor,
                              int32_t floor_column) {
  int64_t kept = 0;
#if HWY_TARGET <= HWY_AVX3
  const IntTag di;
  const IntVec last_key = hn::Set(di, floor), end = hn::Set(di, floor_column);
  for (int64_t c = 0; c < held; c += static_cast<int64_t>(hn::Lanes(di))) {
    const IntVec key = hn::Load(di, from.key + c), column = hn::Load(di, from.column + c);
    const auto stays =
        hn::Or(hn::Gt(key, last_key), hn::And(hn::Eq(key, last_key), hn::Lt(column, end)));
    hn::StoreU(hn::Compress(key, stays), di, from.key + kept);
    hn::StoreU(hn::Compress(column, stays), di, from.column + kept);
    kept += static_cast<int64_t>(hn::CountTrue(di, stays));
  }
#else  // where Highway 1.0.3 copies a table of a kilobyte at each Compress
  for (int64_t c = 0; c < held; ++c) {
    const int32_t key = from.key[c], column = from.column[c];
    from.key[kept] = key;
    from.column[kept] = column;
    kept += static_cast<int>(key > floor) |
            (static_cast<int>(key == floor) & static_cast<int>(column < floor_column));
  }
#endif
  return kept;
}

struct Bound {
  int32_t at;
  bool exact;  // count(at) is what was wanted
};

// The largest x in [low, high] for which count(x) >= wanted, or any x with count(x) == wanted;
// count must not grow with x, and count(low) >= wanted.
template <class Count>
HWY_INLINE Bound bisect(int64_t low, int64_t high, int64_t wanted, Count&& count) {
  while (low < high) {
    const int64_t middle = low + (high - low + 1) / 2;
    const int64_t found = count(static_cast<int32_t>(middle));
    if (found == wanted) return {static_cast<int32_t>(middle), true};
    if (found > wanted) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return {static_cast<int32_t>(low), false};
}

// Keeps the best rule.keep of more held pairs, and raises the floor. Bisection by counting: about
// ten sweeps over a few vectors, several times faster than nth_element.
HWY_NOINLINE inline void select_best(RowState& state, const Candidates& from, const RowRule& rule) {
  const IntTag di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(di));
  const int64_t held = state.held;
  const IntVec never = hn::Set(di, INT32_MIN);  // below every pair
  std::fill(from.key + held, from.key + round_up(held, lanes), INT32_MIN);
  IntVec lowest = hn::Set(di, INT32_MAX), highest = never;
  for (int64_t c = 0; c < held; c += lanes) {
    const IntVec key = hn::Load(di, from.key + c);
    lowest = hn::Min(lowest, hn::IfThenElse(hn::Gt(key, never), key, lowest));
    highest = hn::Max(highest, key);
  }
  const Bound bound =
      bisect(hn::GetLane(hn::MinOfLanes(di, lowest)), hn::GetLane(hn::MaxOfLanes(di, highest)),
             rule.keep, [&](int32_t x) HWY_ATTR {
               const IntVec below = hn::Set(di, x - 1);
               return count_pairs(from, held,
                                  [&](IntVec key, IntVec) HWY_ATTR { return hn::Gt(key, below); });
             });
  int32_t floor_column = INT32_MAX;
  if (!bound.exact) {
    // Several pairs equal the floor: those with the smaller columns stay.
    const IntVec floor = hn::Set(di, bound.at);
    const int64_t above =
        count_pairs(from, held, [&](IntVec key, IntVec) HWY_ATTR { return hn::Gt(key, floor); });
    floor_column = -bisect(-rule.columns, 0, rule.keep - above, [&](int32_t x) HWY_ATTR {
                      const IntVec end = hn::Set(di, -x);
                      return count_pairs(from, held, [&](IntVec key, IntVec column) HWY_ATTR {
                        return hn::And(hn::Eq(key, floor), hn::Lt(column, end));
                      });
                    }).at;
  }
  state.held = static_cast<int32_t>(keep_pairs(from, held, bound.at, floor_column));
  state.floor = from_key(bound.at);
  state.floor_column = floor_column;
}

// What t must exceed to be a candidate, for columns from `first` on: a pair equal to the floor
// counts only before the floor's column.
HWY_INLINE float strict_bound(const RowState& state, int64_t first) {
  if (first >= state.floor_column) return state.floor;
  const int32_t key = to_key(state.floor);
  return from_key(key == 0 ? -2 : key - 1);  // key -1 is -0, which equals the 0 of key 0
}

// The pairs of a segment that may be among the best go to the buffers.
HWY_INLINE void gather_candidates(RowState& state, const Candidates& to, const float* t,
                                  int64_t first, int64_t count, const RowRule& rule) {
  const FloatTag d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t held = state.held;
  FloatVec bound = hn::Set(d, strict_bound(state, first));
  for (int64_t g = 0; g < count; g += kGroup) {
    uint64_t over = 0;
    for (int64_t j = 0; j < kGroup; j += lanes) {
      uint64_t bits = 0;
      hn::StoreMaskBits(d, hn::Gt(hn::LoadU(d, t + g + j), bound),
                        reinterpret_cast<uint8_t*>(&bits));
      over |= bits << j;
    }
    for (; over != 0; over &= over - 1, ++held) {
      const int64_t j = g + std::countr_zero(over);
      to.key[held] = to_key(t[j] + 0.0f);
      to.column[held] = static_cast<int32_t>(first + j);
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

// Takes in S of (row, first .. first + count - 1). s has room up to the next multiple of kGroup,
// and loses its diagonal if that is excluded; t is working memory of the same size.
HWY_INLINE void add_segment(RowState& state, const Candidates& to, float* s, float* t, int64_t row,
                            int64_t first, int64_t count, const RowRule& rule) {
  const int64_t padded = round_up(count, kGroup);
  std::fill(s + count, s + padded, kNegativeInfinity);
  if (!rule.diagonal && row >= first && row < first + count) s[row - first] = kNegativeInfinity;
  if (rule.lse) {
    for (int64_t j = 0; j < padded; j += kSumColumns) {
      add_exponentials(state, s + j, std::min(kSumColumns, padded - j));
    }
  }
  if (rule.keep == 0) return;
  if (rule.changes_values()) {
    weigh_pairs(t, s, row, first, padded, rule);
    gather_candidates(state, to, t, first, padded, rule);
  } else {
    gather_candidates(state, to, s, first, padded, rule);
  }
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
