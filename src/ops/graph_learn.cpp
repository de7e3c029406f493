#include "kernels/graph_learn.h"

#include <algorithm>
#include <iterator>

#include "core/check.h"
#include "core/parallel.h"
#include "kernels/edges.h"
#include "ops/ops.h"

namespace glgnn {
namespace {

ZDense<float> dense_view(const RowsVar& z) { return {z.values.view()}; }

ZSelected<float> selected_view(const RowsVar& z) {
  return {z.values.view(), z.s.data(), z.labels.view()};
}

// [labels, X * s] of selected rows, for as long as the choice needs it.
Matrix make_selected(const RowsVar& z, int threads) {
  const MatView<const float> x = z.values.view(), labels = z.labels.view();
  Matrix made(x.rows, labels.cols + x.cols);
  for_row_ranges(x.rows, made.size(), threads, [&](int64_t begin, int64_t end) {
    const int64_t rows = end - begin;
    ref::feature_select_forward<float>({made[begin], rows, made.cols()}, {x[begin], rows, x.cols},
                                       z.s.data(), {labels[begin], rows, labels.cols});
  });
  return made;
}

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

// The group that each row belongs to, or null.
using GroupOfRow = std::vector<const std::vector<int32_t>*>;

// For rows begin .. end - 1 that have a group: their columns in `before` and the rest of the group.
// No other row has entries.
Pattern join_groups(const Pattern& before, const GroupOfRow& group_of, int64_t begin, int64_t end,
                    bool diagonal) {
  Pattern joined;
  joined.rows = joined.cols = before.rows;
  for (int64_t i = 0; i < before.rows; ++i) {
    if (i >= begin && i < end && group_of[i]) {
      const size_t start = joined.col.size();
      std::set_union(before.col.begin() + before.row_ptr[i],
                     before.col.begin() + before.row_ptr[i + 1], group_of[i]->begin(),
                     group_of[i]->end(), std::back_inserter(joined.col));
      if (!diagonal) {
        const auto first = joined.col.begin() + static_cast<int64_t>(start);
        joined.col.erase(std::remove(first, joined.col.end(), i), joined.col.end());
      }
    }
    joined.row_ptr.push_back(joined.nnz());
  }
  return joined;
}

// The end of the rows from `begin` on that have `most` candidates together, or of one row: groups
// may be large, and candidates of all their rows too many for memory.
int64_t end_of_block(const Pattern& before, const GroupOfRow& group_of, int64_t begin,
                     int64_t most) {
  int64_t end = begin, count = 0;
  for (; end < before.rows; ++end) {
    if (group_of[end]) {
      count += before.view().row_size(end) + static_cast<int64_t>(group_of[end]->size());
    }
    if (count > most && end > begin) break;
  }
  return end;
}

void forward_dots(float* s, const Pattern& pattern, const RowsVar& z, int threads) {
  if (z.is_sparse()) {
    cpu::edge_dot_forward(s, pattern.view(), sparse_view(z), threads);
  } else if (z.is_selected()) {
    cpu::selected_dot_forward(s, pattern.view(), selected_view(z), threads);
  } else {
    cpu::edge_dot_forward(s, pattern.view(), dense_view(z), threads);
  }
}

// `h` is room for the weights of the near pairs, where they have one each.
HopWeights<float> hop_view(const HopPairs* hops, Var hop_weights, int64_t rows,
                           std::vector<float>& h) {
  HopWeights<float> weights;
  if (!hops || !hops->has_graph()) return weights;
  GLGNN_ASSERT(hop_weights.value->size() == hops->hops + 1);
  GLGNN_ASSERT(hops->shells.rows() == rows || hops->near.rows == rows);
  if (hops->shells.rows() > 0) {
    weights.shells = &hops->shells;
    weights.h_of_shell = hop_weights.data();
  } else {
    h.resize(hops->near.nnz());
    ref::hop_weights(h.data(), *hops, hop_weights.data());
    weights.near = hops->near.view();
    weights.h = h.data();
    weights.h_other = hop_weights.data()[hops->hops];
  }
  return weights;
}

// Where the pass runs.
template <class Z>
void choose(const Context& context, std::vector<int32_t>& col, std::vector<int64_t>& count,
            float* lse, const Z& z, const HopWeights<float>& weights,
            const ChooseOptions& options) {
  if (context.device == Device::kCuda) {
    cuda::graph_learn_choose(col.data(), count.data(), lse, z, weights, options);
  } else {
    cpu::graph_learn_choose(col.data(), count.data(), lse, z, weights, options, context.threads);
  }
}

template <class Gradient, class Z>
void lse_backward(const Context& context, Gradient d_z, const float* d_lse, const Z& z,
                  const float* lse, bool diagonal) {
  if (context.device == Device::kCuda) {
    cuda::graph_learn_lse_backward(d_z, d_lse, z, lse, diagonal);
  } else {
    cpu::graph_learn_lse_backward(d_z, d_lse, z, lse, diagonal, context.threads);
  }
}

}  // namespace

Choice graph_learn_choose(Tape& tape, const RowsVar& z, const HopPairs* hops, Var hop_weights,
                          const ChooseOptions& options, bool wants_lse) {
  const int64_t n = z.rows();
  std::vector<int32_t> col(n * options.k);
  std::vector<int64_t> count(n);
  std::vector<float> h;
  const HopWeights<float> weights = hop_view(hops, hop_weights, n, h);
  auto [written, lse] = tape.make(wants_lse ? n : 0, 1, z.values.grad);
  float* lse_out = wants_lse ? written->data() : nullptr;
  if (z.is_sparse()) {
    choose(tape.context(), col, count, lse_out, sparse_view(z), weights, options);
  } else if (z.is_selected()) {
    GLGNN_ASSERT(!wants_lse);  // its gradient is one of Z
    const Matrix made = make_selected(z, tape.threads());
    choose(tape.context(), col, count, nullptr, ZDense<float>{made.view()}, weights, options);
  } else {
    choose(tape.context(), col, count, lse_out, dense_view(z), weights, options);
  }
  if (wants_lse && lse.grad) {
    const bool diagonal = options.diagonal;
    tape.record([&tape, z, diagonal, lse = lse] {
      if (z.is_sparse()) {
        lse_backward(tape.context(), z.values.d_data(), lse.grad->data(), sparse_view(z),
                     lse.data(), diagonal);
      } else {
        lse_backward(tape.context(), z.values.d_view(), lse.grad->data(), dense_view(z), lse.data(),
                     diagonal);
      }
    });
  }
  return {pack(col, count, options.k), lse};
}

SharedPattern sample_neighbours(Tape& tape, const RowsVar& z, const HopPairs& hops, Var hop_weights,
                                const ChooseOptions& options, const Rng& rng) {
  const int64_t n = z.rows();
  std::vector<int32_t> col(n * options.k);
  std::vector<int64_t> count(n);
  std::vector<float> h;
  const HopWeights<float> weights = hop_view(&hops, hop_weights, n, h);
  const Matrix made = z.is_selected() ? make_selected(z, tape.threads()) : Matrix();
  const ZDense<float> dense{z.is_selected() ? made.view() : z.values.view()};
  for_row_ranges(n, n * n, tape.threads(), [&](int64_t first, int64_t last) {
    if (z.is_sparse()) {
      ref::graph_learn_draw(col.data(), count.data(), sparse_view(z), weights, options, rng, first,
                            last);
    } else {
      ref::graph_learn_draw(col.data(), count.data(), dense, weights, options, rng, first, last);
    }
  });
  return pack(col, count, options.k);
}

SharedPattern rechoose_groups(Tape& tape, const RowsVar& z, const HopPairs& hops, Var hop_weights,
                              const ChooseOptions& options, const Pattern& before,
                              std::span<const std::vector<int32_t>> groups) {
  GroupOfRow group_of(before.rows, nullptr);
  for (const auto& group : groups) {
    for (const int32_t row : group) group_of[row] = &group;
  }
  std::vector<int32_t> col(before.rows * options.k);
  std::vector<int64_t> count(before.rows);
  constexpr int64_t kMostCandidates = int64_t{1} << 21;
  const int64_t hop_classes = hops.hops + 1;
  for (int64_t begin = 0; begin < before.rows;) {
    const int64_t end = end_of_block(before, group_of, begin, kMostCandidates);
    const Pattern candidates = join_groups(before, group_of, begin, end, options.diagonal);
    std::vector<float> t(candidates.nnz());
    forward_dots(t.data(), candidates, z, tape.threads());
    std::vector<float> shares(candidates.nnz() * hop_classes), h(candidates.nnz());
    hop_shares(shares.data(), candidates.view(), hops, tape.threads());
    for_row_ranges(end - begin, candidates.nnz(), tape.threads(), [&](int64_t first, int64_t last) {
      const int64_t* starts = candidates.row_ptr.data() + begin;
      const int64_t at = starts[first], n = starts[last] - at;
      ref::hop_gather_forward(h.data() + at, shares.data() + at * hop_classes, n,
                              hop_weights.data(), hop_classes);
      ref::add_logs(t.data() + at, h.data() + at, n);
      keep_best(col.data() + (begin + first) * options.k, count.data() + begin + first,
                {last - first, before.rows, starts + first, candidates.col.data()}, t.data(),
                options.k);
    });
    begin = end;
  }
  for (int64_t i = 0; i < before.rows; ++i) {
    if (group_of[i]) continue;
    count[i] = before.view().row_size(i);
    std::copy_n(before.col.begin() + before.row_ptr[i], count[i], col.begin() + i * options.k);
  }
  return pack(col, count, options.k);
}

Var edge_dot(Tape& tape, SharedPattern pattern, const RowsVar& z,
             std::shared_ptr<PatternWork> work) {
  const bool wants_grad = z.is_selected() ? z.s.grad : z.values.grad;
  auto [written, s] = tape.make(pattern->nnz(), 1, wants_grad);
  const auto shared =
      z.is_sparse() && work ? work->shared_columns(z.pattern->view(), tape.threads()) : nullptr;
  if (shared) {
    cpu::edge_dot_forward(written->data(), pattern->view(), *shared, z.pattern->view(),
                          z.values.data(), tape.threads());
  } else {
    forward_dots(written->data(), *pattern, z, tape.threads());
  }
  if (s.grad) {
    tape.record([&tape, pattern, z, work, shared, s = s] {
      if (z.is_selected()) {
        cpu::selected_dot_backward(z.s.d_data(), s.grad->data(), pattern->view(), selected_view(z),
                                   tape.threads());
        return;
      }
      const auto transposed = work_of(pattern, work)->transposed(tape.threads());
      if (shared) {
        cpu::edge_dot_backward(z.values.d_data(), s.grad->data(), pattern->view(),
                               transposed->view(), *shared, z.pattern->view(), z.values.data(),
                               tape.threads());
      } else if (z.is_sparse()) {
        cpu::edge_dot_backward(z.values.d_data(), s.grad->data(), pattern->view(),
                               transposed->view(), sparse_view(z), tape.threads());
      } else {
        cpu::edge_dot_backward(z.values.d_view(), s.grad->data(), pattern->view(),
                               transposed->view(), dense_view(z), tape.threads());
      }
    });
  }
  return s;
}

Var edge_exp(Tape& tape, SharedPattern pattern, Var s, Var lse) {
  GLGNN_ASSERT(lse.rows() == pattern->rows && s.rows() == pattern->nnz());
  auto [written, p] = tape.make(s.rows(), 1, s.grad);
  for_row_ranges(pattern->rows, 8 * pattern->nnz(), tape.threads(),
                 [&, out = written->data()](int64_t begin, int64_t end) {
                   ref::edge_exp_forward(out, s.data(), lse.data() + begin,
                                         pattern->row_ptr.data() + begin, end - begin);
                 });
  if (p.grad) {
    tape.record([&tape, pattern, s, lse, p = p] {
      // With a kept choice lse is a constant and its gradient goes nowhere.
      std::vector<float> unused(lse.grad ? 0 : pattern->rows);
      float* d_lse = lse.grad ? lse.d_data() : unused.data();
      for_row_ranges(pattern->rows, 4 * pattern->nnz(), tape.threads(),
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
  for_row_ranges(pattern->rows, 8 * pattern->nnz(), tape.threads(),
                 [&, out = written->data()](int64_t begin, int64_t end) {
                   ref::edge_softmax_forward(out, s.data(), pattern->row_ptr.data() + begin,
                                             end - begin);
                 });
  if (p.grad) {
    tape.record([&tape, pattern, s, p = p] {
      for_row_ranges(
          pattern->rows, 4 * pattern->nnz(), tape.threads(), [&](int64_t begin, int64_t end) {
            ref::edge_softmax_backward<float>(s.d_data(), p.grad->data(), p.data(),
                                              pattern->row_ptr.data() + begin, end - begin);
          });
    });
  }
  return p;
}

Var hop_gather(Tape& tape, SharedPattern kept, const HopPairs& hops, Var weights,
               std::shared_ptr<PatternWork> work) {
  GLGNN_ASSERT(weights.value->size() == hops.hops + 1);
  const auto shares = work_of(kept, work)->hop_shares(hops, tape.threads());
  auto [written, h] = tape.make(kept->nnz(), 1, weights.grad);
  cpu::hop_gather_forward(written->data(), shares->data(), kept->nnz(), weights.data(),
                          hops.hops + 1, tape.threads());
  if (h.grad) {
    tape.record([=, &tape, h = h] {
      cpu::hop_gather_backward(weights.d_data(), h.grad->data(), shares->data(), h.rows(),
                               weights.value->size(), tape.threads());
    });
  }
  return h;
}

}  // namespace glgnn
