#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/graph_learn/sparse.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target comes first.
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "kernels/cpu/graph_learn/choose_job.h"
#include "kernels/cpu/graph_learn/row_handler-inl.h"
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/sparse_rows.h"
#include "kernels/graph_learn.h"

HWY_BEFORE_NAMESPACE();
namespace glgnn::cpu::HWY_NAMESPACE {

// From the whole row of S: the chosen columns, and the state that has its log-sum-exp.
int64_t choose_from_row(RowState& state, const Candidates& candidates, int32_t* col, float* s,
                        float* t, const RowMarks& near, int64_t row, const Marks& marks,
                        const RowRule& rule) {
  add_segment<true>(state, candidates, s, t, near, row, 0, rule.columns, rule);
  return finish_row(state, candidates, col, marks, rule);
}

void weigh_row(float* s, float lse_i, float d_lse_i, const float* lse, const float* d_lse,
               int64_t padded) {
  lse_weights(s, lse_i, d_lse_i, lse, d_lse, padded);
}

}  // namespace glgnn::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace glgnn::cpu {
namespace {

HWY_EXPORT(choose_from_row);
HWY_EXPORT(weigh_row);

// Kept between calls, by each thread that calls.
struct SparseScratch {
  Scratch<float> values, rows, weighed_rows, lse, d_lse;
  Scratch<int32_t> candidates;
  Scratch<uint64_t> marks, near;
};
thread_local SparseScratch scratch;

// Row i of S: every feature of the row adds to all rows that have it.
void similarity_row(float* s, const ZSparse<float>& z, const float* column_values, int64_t i) {
  std::fill(s, s + z.rows(), 0.0f);
  for (int64_t e = z.pattern.row_ptr[i]; e < z.pattern.row_ptr[i + 1]; ++e) {
    const int64_t f = z.pattern.col[e], first = z.by_column.row_ptr[f];
    scatter_add(s, z.values[e], z.by_column.col + first, column_values + first,
                z.by_column.row_size(f));
  }
}

// The chance that a feature is found in both of two rows, above which tiles of dense rows are
// faster: to add to a scattered number takes as long as some fifty dense multiplications. Measured,
// seconds of an epoch with two threads: 20news (9607 x 236, chance 0.029) sparse 0.735, dense
// 0.620; Cora (2708 x 1433, chance 0.0007) sparse 0.053, dense 0.240.
constexpr double kSharedAbove = 0.02;

bool is_faster_dense(const ZSparse<float>& z) {
  double shared = 0;
  for (int64_t f = 0; f < z.by_column.rows; ++f) {
    const double rows = static_cast<double>(z.by_column.row_size(f));
    shared += rows * rows;
  }
  const double n = static_cast<double>(z.rows());
  return shared > kSharedAbove * n * n * static_cast<double>(z.pattern.cols);
}

const float* pad_vector(Scratch<float>& room, const float* from, int64_t n, int64_t padded) {
  float* to = room.grow(padded);
  std::copy(from, from + n, to);
  std::fill(to + n, to + padded, 0.0f);
  return to;
}

}  // namespace

void graph_learn_choose(int32_t* col, int64_t* count, float* lse, const ZSparse<float>& z,
                        const HopWeights<float>& hops, const ChooseOptions& options, int threads) {
  if (is_faster_dense(z)) {
    choose_in_tiles(col, count, lse, z, hops, options, threads);
    return;
  }
  const RowRule rule(hops, options, z.rows(), lse != nullptr);
  const int64_t padded = round_up(z.rows(), kGroup);
  const float* column_values = values_by_column(scratch.values, z, threads);
  float* rows = scratch.rows.grow(threads * padded);
  float* weighed_rows = scratch.weighed_rows.grow(threads * padded);
  int32_t* candidates = scratch.candidates.grow(threads * 2 * rule.capacity());
  const int64_t words = Marks::words(z.rows());
  uint64_t* marks = scratch.marks.grow_zeroed(threads * words);
  const HopShells* shells = hops.shells;
  const int64_t near_words = shells ? shells->hops() * shells->words() : 0;
  uint64_t* near = scratch.near.grow(threads * near_words);
  parallel_for(z.rows(), threads, 16, [&](int64_t i, int thread) {
    float* s = rows + thread * padded;
    int32_t* room = candidates + thread * 2 * rule.capacity();
    RowState state = start_state(rule.first_floor());
    similarity_row(s, z, column_values, i);
    count[i] = HWY_DYNAMIC_DISPATCH(choose_from_row)(
        state, Candidates{room, room + rule.capacity()}, col + i * options.k, s,
        weighed_rows + thread * padded,
        shells ? shells->marks(i, 0, shells->words(), near + thread * near_words) : RowMarks{}, i,
        Marks{marks + thread * words, words}, rule);
    if (lse) lse[i] = log_sum_exp(state);
  });
}

void graph_learn_lse_backward(float* d_z, const float* d_lse, const ZSparse<float>& z,
                              const float* lse, bool diagonal, int threads) {
  const int64_t padded = round_up(z.rows(), kGroup);
  const float* column_values = values_by_column(scratch.values, z, threads);
  const float* all_lse = pad_vector(scratch.lse, lse, z.rows(), padded);
  const float* all_d_lse = pad_vector(scratch.d_lse, d_lse, z.rows(), padded);
  float* rows = scratch.rows.grow_zeroed(threads * padded);
  parallel_for(z.rows(), threads, 16, [&](int64_t i, int thread) {
    float* weights = rows + thread * padded;
    similarity_row(weights, z, column_values, i);
    HWY_DYNAMIC_DISPATCH(weigh_row)(weights, lse[i], d_lse[i], all_lse, all_d_lse, padded);
    if (!diagonal) weights[i] = 0;
    for (int64_t e = z.pattern.row_ptr[i]; e < z.pattern.row_ptr[i + 1]; ++e) {
      const int64_t f = z.pattern.col[e], first = z.by_column.row_ptr[f];
      d_z[e] += gather_dot(weights, z.by_column.col + first, column_values + first,
                           z.by_column.row_size(f));
    }
  });
}

}  // namespace glgnn::cpu
#endif
