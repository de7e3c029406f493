#include "kernels/graph_learn.h"

#include <algorithm>
#include <iterator>

#include "core/check.h"
#include "core/parallel.h"
#include "kernels/edge_dot.h"
#include "kernels/edge_softmax.h"
#include "ops/ops.h"

namespace glgnn {
namespace {

ZDense<float> dense_view(const RowsVar& z) { return {z.values.view()}; }

ZSparse<float> sparse_view(const RowsVar& z) {
  return {z.pattern->view(), z.values.data(), z.by_column->pattern.view(),
          z.by_column->source.data()};
}

// Rows of `k` slots, filled to `count`, as a pattern.
SharedPattern pack(const std::vector<int32_t>& col, const std::vector<int64_t>& count, int64_t k) {
  auto pattern = std::make_shared<Pattern>();
  const int64_t n = static_cast<int64_t>(count.size());
  pattern->rows = pattern->cols = n;
  pattern->row_ptr.resize(n + 1);
  for (int64_t i = 0; i < n; ++i) pattern->row_ptr[i + 1] = pattern->row_ptr[i] + count[i];
  pattern->col.resize(pattern->row_ptr[n]);
  for (int64_t i = 0; i < n; ++i) {
    std::copy_n(col.begin() + i * k, count[i], pattern->col.begin() + pattern->row_ptr[i]);
  }
  return pattern;
}

// For each row of a group: its columns in `before` and the rest of its group. No other row has
// entries.
Pattern join_groups(const Pattern& before, std::span<const std::vector<int32_t>> groups,
                    bool diagonal) {
  std::vector<const std::vector<int32_t>*> group_of(before.rows, nullptr);
  for (const auto& group : groups) {
    for (const int32_t row : group) group_of[row] = &group;
  }
  Pattern joined;
  joined.rows = joined.cols = before.rows;
  for (int64_t i = 0; i < before.rows; ++i) {
    if (group_of[i]) {
      const size_t start = joined.col.size();
      std::set_union(before.col.begin() + before.row_ptr[i],
                     before.col.begin() + before.row_ptr[i + 1], group_of[i]->begin(),
                     group_of[i]->end(), std::back_inserter(joined.col));
      if (!diagonal) {
        const auto begin = joined.col.begin() + static_cast<int64_t>(start);
        joined.col.erase(std::remove(begin, joined.col.end(), i), joined.col.end());
      }
    }
    joined.row_ptr.push_back(joined.nnz());
  }
  return joined;
}

void forward_dots(float* s, const Pattern& pattern, const RowsVar& z, int threads) {
  if (z.is_sparse()) {
    cpu::edge_dot_forward(s, pattern.view(), sparse_view(z), threads);
  } else {
    cpu::edge_dot_forward(s, pattern.view(), dense_view(z), threads);
  }
}

}  // namespace

Choice graph_learn_choose(Tape& tape, const RowsVar& z, const HopPairs* hops, Var hop_weights,
                          const ChooseOptions& options, bool wants_lse) {
  const int64_t n = z.rows();
  std::vector<int32_t> col(n * options.k);
  std::vector<int64_t> count(n);
  HopWeights<float> weights;
  std::vector<float> h;
  if (hops && hops->near.rows > 0) {
    GLGNN_ASSERT(hop_weights.value->size() == hops->hops + 1 && hops->near.rows == n);
    h.resize(hops->near.nnz());
    ref::hop_weights(h.data(), *hops, hop_weights.data());
    weights = {hops->near.view(), h.data(), hop_weights.data()[hops->hops]};
  }
  auto [written, lse] = tape.make(wants_lse ? n : 0, 1, z.values.grad);
  float* lse_out = wants_lse ? written->data() : nullptr;
  if (z.is_sparse()) {
    cpu::graph_learn_choose(col.data(), count.data(), lse_out, sparse_view(z), weights, options,
                            tape.threads());
  } else {
    cpu::graph_learn_choose(col.data(), count.data(), lse_out, dense_view(z), weights, options,
                            tape.threads());
  }
  if (wants_lse && lse.grad) {
    const bool diagonal = options.diagonal;
    tape.record([&tape, z, diagonal, lse = lse] {
      if (z.is_sparse()) {
        cpu::graph_learn_lse_backward(z.values.d_data(), lse.grad->data(), sparse_view(z),
                                      lse.data(), diagonal, tape.threads());
      } else {
        cpu::graph_learn_lse_backward(z.values.d_view(), lse.grad->data(), dense_view(z),
                                      lse.data(), diagonal, tape.threads());
      }
    });
  }
  return {pack(col, count, options.k), lse};
}

SharedPattern rechoose_groups(Tape& tape, const RowsVar& z, const HopPairs& hops, Var hop_weights,
                              const ChooseOptions& options, const Pattern& before,
                              std::span<const std::vector<int32_t>> groups) {
  const Pattern candidates = join_groups(before, groups, options.diagonal);
  std::vector<float> t(candidates.nnz());
  forward_dots(t.data(), candidates, z, tape.threads());
  std::vector<int64_t> near(candidates.nnz());
  find_near(near.data(), candidates.view(), hops.near.view());
  std::vector<float> h(candidates.nnz());
  ref::hop_gather_forward(h.data(), near.data(), candidates.nnz(), hops, hop_weights.data());
  ref::add_logs(t.data(), h.data(), candidates.nnz());

  std::vector<int32_t> col(candidates.rows * options.k);
  std::vector<int64_t> count(candidates.rows);
  keep_best(col.data(), count.data(), candidates.view(), t.data(), options.k);
  for (int64_t i = 0; i < before.rows; ++i) {
    if (candidates.view().row_size(i) > 0) continue;
    count[i] = before.view().row_size(i);
    std::copy_n(before.col.begin() + before.row_ptr[i], count[i], col.begin() + i * options.k);
  }
  return pack(col, count, options.k);
}

Var edge_dot(Tape& tape, SharedPattern pattern, const RowsVar& z) {
  auto [written, s] = tape.make(pattern->nnz(), 1, z.values.grad);
  forward_dots(written->data(), *pattern, z, tape.threads());
  if (s.grad) {
    tape.record([&tape, pattern, z, s = s] {
      const Transpose transposed = transpose(pattern->view());
      if (z.is_sparse()) {
        cpu::edge_dot_backward(z.values.d_data(), s.grad->data(), pattern->view(),
                               transposed.view(), sparse_view(z), tape.threads());
      } else {
        cpu::edge_dot_backward(z.values.d_view(), s.grad->data(), pattern->view(),
                               transposed.view(), dense_view(z), tape.threads());
      }
    });
  }
  return s;
}

Var edge_exp(Tape& tape, SharedPattern pattern, Var s, Var lse) {
  GLGNN_ASSERT(lse.rows() == pattern->rows && s.rows() == pattern->nnz());
  auto [written, p] = tape.make(s.rows(), 1, s.grad);
  for_row_ranges(pattern->rows, pattern->nnz(), tape.threads(),
                 [&, out = written->data()](int64_t begin, int64_t end) {
                   ref::edge_exp_forward(out, s.data(), lse.data() + begin,
                                         pattern->row_ptr.data() + begin, end - begin);
                 });
  if (p.grad) {
    tape.record([&tape, pattern, s, lse, p = p] {
      // With a kept choice lse is a constant and its gradient goes nowhere.
      std::vector<float> unused(lse.grad ? 0 : pattern->rows);
      float* d_lse = lse.grad ? lse.d_data() : unused.data();
      for_row_ranges(pattern->rows, pattern->nnz(), tape.threads(),
                     [&](int64_t begin, int64_t end) {
                       ref::edge_exp_backward(s.d_data(), d_lse + begin, p.grad->data(), p.data(),
                                              pattern->row_ptr.data() + begin, end - begin);
                     });
    });
  }
  return p;
}

Var edge_softmax(Tape& tape, SharedPattern pattern, Var s) {
  GLGNN_ASSERT(s.rows() == pattern->nnz());
  auto [written, p] = tape.make(s.rows(), 1, s.grad);
  for_row_ranges(pattern->rows, pattern->nnz(), tape.threads(),
                 [&, out = written->data()](int64_t begin, int64_t end) {
                   ref::edge_softmax_forward(out, s.data(), pattern->row_ptr.data() + begin,
                                             end - begin);
                 });
  if (p.grad) {
    tape.record([&tape, pattern, s, p = p] {
      for_row_ranges(
          pattern->rows, pattern->nnz(), tape.threads(), [&](int64_t begin, int64_t end) {
            ref::edge_softmax_backward<float>(s.d_data(), p.grad->data(), p.data(),
                                              pattern->row_ptr.data() + begin, end - begin);
          });
    });
  }
  return p;
}

Var hop_gather(Tape& tape, const Pattern& kept, const HopPairs& hops, Var weights) {
  GLGNN_ASSERT(weights.value->size() == hops.hops + 1);
  const auto near_of_kept = std::make_shared<std::vector<int64_t>>(kept.nnz());
  find_near(near_of_kept->data(), kept.view(), hops.near.view());
  auto [written, h] = tape.make(kept.nnz(), 1, weights.grad);
  ref::hop_gather_forward(written->data(), near_of_kept->data(), kept.nnz(), hops, weights.data());
  if (h.grad) {
    tape.record([=, &hops, h = h] {
      ref::hop_gather_backward(weights.d_data(), h.grad->data(), near_of_kept->data(),
                               static_cast<int64_t>(near_of_kept->size()), hops);
    });
  }
  return h;
}

}  // namespace glgnn
