#include "kernels/rows_apart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/check.h"
#include "core/parallel.h"
#include "kernels/cpu/graph_learn/choose_job.h"

namespace glgnn::cpu {
namespace {

static_assert(OwnRows::kStep == kPanelRows);

// Rows begin .. end - 1 of a run as a run of their own.
RowRun part_of(const RowRun& run, const Blocks& part, int64_t begin) {
  const auto panels = [&](const PackedRows& z) { return PackedRows{z.from(begin), z.D}; };
  CoarseRows coarse = run.coarse;
  if (coarse.usable()) {
    coarse.bytes += begin * 4 * coarse.quads;
    coarse.start += begin;
    coarse.scale += begin;
    coarse.length += begin;
    coarse.error += begin;
  }
  const MatView<const float> z = run.rows.dense;
  return {part,
          run.first + begin,
          panels(run.z),
          {},  // visitors are the columns
          coarse,
          {{z.data + begin * z.cols, part.rows(), z.cols}, {}, nullptr},
          run.states + begin,
          run.candidates + 2 * run.capacity * begin,
          run.capacity};
}

// Visitors in blocks as long as own ones where few threads share them: tiles of short blocks take
// longer. Many threads want a block each. The sum of exponentials depends on the blocks.
Blocks blocks_of_visitors(int64_t rows, bool wants_lse, int threads) {
  constexpr int64_t kPairOfBlocks = 12 * kPanelRows;
  return Blocks(rows, wants_lse || threads > 2 ? 8 : std::max<int64_t>(1, rows / kPairOfBlocks));
}

// Sums of exponentials of two sets of columns.
void add_sum(RowState& state, float top, double sum) {
  if (sum == 0) return;
  if (top > state.top) {
    state.sum *= std::exp(static_cast<double>(state.top) - top);
    state.top = top;
  }
  state.sum += sum * std::exp(static_cast<double>(top) - state.top);
}

}  // namespace

struct OwnRows::State {
  State(MatView<const float> z, int64_t first, const ApartOptions& options, int thread_count)
      : by_distance(options.by_distance),
        threads(thread_count),
        blocks(z.rows),
        rule(options.hops,
             {.k = std::min(options.k, options.all_rows - 1),
              .positive_only = options.positive_only},
             options.all_rows, options.wants_lse),
        run(pack(own_room, z, first, blocks)) {
    for (int64_t i = 0; i < z.rows; ++i) run.states[i] = start_state(rule.first_floor());
  }

  RowRun pack(RunRoom& room, MatView<const float> z, int64_t first, const Blocks& of) const {
    if (by_distance) return room.pack(ZNear{z}, of, first, rule, false, threads);
    const ZDense<float> rows{z};
    return room.pack(rows, of, first, rule, may_choose_by_bytes(rows, rule), threads);
  }

  // Room for tiles whose columns are `columns`, and for the marks of their rows.
  void grow_rooms(const Blocks& rows, const Blocks& columns) {
    const HopShells* shells = rule.hops.shells;
    rooms.grow(rows, columns, run.z.D, shells ? shells->hops() : 0, shells ? shells->words() : 0,
               threads);
  }

  bool by_distance;
  int threads;
  Blocks blocks;
  RowRule rule;
  RunRoom own_room, visitors_room;
  TileRooms rooms;
  RowRun run;
};

OwnRows::OwnRows(MatView<const float> z, int64_t first, const ApartOptions& options, int threads)
    : state_(std::make_unique<State>(z, first, options, threads)) {}

OwnRows::~OwnRows() = default;

void OwnRows::compare_own() {
  State& s = *state_;
  const ChooseJob job{s.rule};
  s.grow_rooms(s.blocks, s.blocks);
  for_each_block_pair(s.blocks, s.threads, [&](int64_t i, int64_t j, int thread) {
    choose_pair(job, s.rooms.of(thread), {s.run, i}, {s.run, j});
  });
  s.own_room.release_others();  // visitors are the columns from now on
}

std::vector<float> OwnRows::floors() {
  State& s = *state_;
  std::vector<float> floors(s.blocks.rows(), s.rule.first_floor());
  if (s.rule.keep == 0) return floors;
  parallel_for_in_rooms(
      s.blocks.rows(), s.threads, 256,
      [&] { return std::pair(std::vector<float>(s.rule.keep), std::vector<int32_t>(s.rule.keep)); },
      [&](auto& room, int64_t i) {
        auto& [t, columns] = room;
        if (best_pairs(s.run, i, s.rule, t.data(), columns.data()) < s.rule.keep) return;
        floors[i] = std::nextafter(*std::min_element(t.begin(), t.end()), -HUGE_VALF);
      });
  return floors;
}

FoundAway OwnRows::host(const Visitors& visitors, int64_t begin, int64_t end) {
  State& s = *state_;
  const int64_t keep = s.rule.keep, count = visitors.z.rows;
  FoundAway found;
  found.count.assign(count, 0);
  if (s.rule.lse) {
    found.top.assign(count, -std::numeric_limits<float>::infinity());
    found.sum.assign(count, 0);
  }
  if (begin == end || count == 0) return found;
  GLGNN_ASSERT(begin % kStep == 0);
  GLGNN_ASSERT(!s.rule.has_hops() || (s.rule.is_symmetric() && visitors.first % kStep == 0));
  const Blocks part(end - begin), theirs = blocks_of_visitors(count, s.rule.lse, s.threads);
  const RowRun own = part_of(s.run, part, begin);
  const RowRun run = s.pack(s.visitors_room, visitors.z, visitors.first, theirs);
  for (int64_t v = 0; v < count; ++v) {
    run.states[v] = start_state(visitors.floors ? visitors.floors[v] : s.rule.first_floor());
  }
  const ChooseJob job{s.rule};
  s.grow_rooms(part, theirs);
  for_each_pair_between(part, theirs, s.threads, [&](int64_t i, int64_t j, int thread) {
    choose_pair(job, s.rooms.of(thread), {own, i}, {run, j});
  });
  std::vector<float> t(keep);
  std::vector<int32_t> columns(keep);
  for (int64_t v = 0; v < count; ++v) {
    const int64_t best = best_pairs(run, v, s.rule, t.data(), columns.data());
    found.count[v] = static_cast<int32_t>(best);
    found.t.insert(found.t.end(), t.begin(), t.begin() + best);
    found.column.insert(found.column.end(), columns.begin(), columns.begin() + best);
    if (!s.rule.lse) continue;
    found.top[v] = run.states[v].top;
    found.sum[v] = run.states[v].sum;
  }
  return found;
}

void OwnRows::take(const FoundAway& found, int64_t begin) {
  State& s = *state_;
  size_t at = 0;
  for (size_t r = 0; r < found.count.size(); ++r) {
    const int64_t row = begin + static_cast<int64_t>(r);
    for (int32_t c = 0; c < found.count[r]; ++c, ++at) {
      offer_pair(s.run, row, s.rule, found.t[at], found.column[at]);
    }
    if (!found.sum.empty()) add_sum(s.run.states[row], found.top[r], found.sum[r]);
  }
}

void OwnRows::finish(int32_t* col, float* t, int64_t* count, float* lse) {
  State& s = *state_;
  const int64_t keep = s.rule.keep;
  parallel_for_in_rooms(
      s.blocks.rows(), s.threads, 256,
      [&] { return std::vector<std::pair<float, int32_t>>(static_cast<size_t>(keep)); },
      [&](auto& order, int64_t i) {
        int32_t* columns = col + i * keep;
        float* values = t + i * keep;
        count[i] = best_pairs(s.run, i, s.rule, values, columns);
        for (int64_t c = 0; c < count[i]; ++c) order[c] = {-values[c], columns[c]};
        std::sort(order.begin(), order.begin() + count[i]);
        for (int64_t c = 0; c < count[i]; ++c) {
          values[c] = -order[c].first;
          columns[c] = order[c].second;
        }
        if (lse) lse[i] = log_sum_exp(s.run.states[i]);
      });
}

}  // namespace glgnn::cpu
