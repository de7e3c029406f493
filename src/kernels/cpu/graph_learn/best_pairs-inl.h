// The best rule.keep of a row's candidates, by counting (Highway: this file is read once for each
// instruction set).
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "kernels/cpu/graph_learn/row_handler.h"
#include "kernels/cpu/simd_math-inl.h"

#if defined(GLGNN_KERNELS_CPU_BEST_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GLGNN_KERNELS_CPU_BEST_PAIRS_INL_H_
#undef GLGNN_KERNELS_CPU_BEST_PAIRS_INL_H_
#else
#define GLGNN_KERNELS_CPU_BEST_PAIRS_INL_H_
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

// Raises the floor to what at least rule.keep pairs of the segment reach: the columns are dealt
// into groups, and as many of the groups have a pair that is as good as the worst of the best
// groups' best. With the whole row at hand few others are above it.
HWY_INLINE void raise_floor(RowState& state, const Candidates& room, const float* t, int64_t count,
                            const RowRule& rule) {
  const FloatTag d;
  const IntTag di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t groups = round_up(std::max<int64_t>(64, 2 * rule.keep), lanes);
  if (count < 4 * groups) return;  // every group should have a few columns
  std::fill(room.key, room.key + groups, to_key(kNegativeInfinity));
  for (int64_t j = 0, g = 0; j < count; j += lanes, g = g + lanes < groups ? g + lanes : 0) {
    const IntVec best = hn::Load(di, room.key + g);
    hn::Store(hn::Max(best, to_key(hn::LoadU(d, t + j))), di, room.key + g);
  }
  IntVec lowest = hn::Load(di, room.key), highest = lowest;
  for (int64_t g = lanes; g < groups; g += lanes) {
    lowest = hn::Min(lowest, hn::Load(di, room.key + g));
    highest = hn::Max(highest, hn::Load(di, room.key + g));
  }
  const Bound bound =
      bisect(hn::GetLane(hn::MinOfLanes(di, lowest)), hn::GetLane(hn::MaxOfLanes(di, highest)),
             rule.keep, [&](int32_t x) HWY_ATTR {
               const IntVec below = hn::Set(di, x - 1);
               return count_pairs(room, groups,
                                  [&](IntVec key, IntVec) HWY_ATTR { return hn::Gt(key, below); });
             });
  const float floor = from_key(bound.at);
  if (!(floor > state.floor)) return;
  state.floor = floor;
  state.floor_column = INT32_MAX;
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
