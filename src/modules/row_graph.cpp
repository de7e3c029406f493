#include "modules/row_graph.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/parallel.h"
#include "kernels/edges.h"
#include "kernels/graph_learn.h"
#include "kernels/nearest_rows.h"
#include "modules/row_copies.h"

namespace glgnn {
namespace {

struct Edge {
  int32_t to;
  float weight;
};

// [X * s^select, labels]: rows of length 1 on both sides, or both of the same mean square.
class ComparedRows {
 public:
  ComparedRows(const Features& x, const RowGraphInputs& inputs, const RowGraphOptions& options,
               int threads)
      : options_(options) {
    const bool selects = options.select > 0 && inputs.selection &&
                         static_cast<int64_t>(inputs.selection->size()) == x.cols();
    factor_.assign(x.cols(), 1.0f);
    for (int64_t f = 0; selects && f < x.cols(); ++f) {
      factor_[f] = static_cast<float>(std::pow((*inputs.selection)[f], options.select));
    }
    labels_ = options.label_weight > 0 ? inputs.soft_labels : nullptr;
    if (x.is_sparse)
      join_sparse(x);
    else
      join_dense(x, threads);
    if (!is_sparse_) copies_ = find_copies(dense_, threads);
  }

  // The k most similar rows of each row, in any order.
  NearestRows nearest(int64_t k, const Context& context) const {
    if (copies_.crowd()) {
      const ComparedRows distinct(distinct_rows(dense_, copies_), options_);
      NearestRows of_groups = distinct.nearest(k, context);
      distinct.rank(of_groups, context.threads);
      return neighbours_beside_copies(of_groups, copies_, k);
    }
    const int64_t n = is_sparse_ ? pattern_.rows : dense_.rows();
    const int64_t wide = std::min(k, n - 1);
    NearestRows found{wide, std::vector<int32_t>(n * wide), std::vector<int64_t>(n, wide)};
    if (wide == 0) return found;
    if (is_sparse_) {
      choose(found, sparse(transpose(pattern_.view())), context);
    } else if (!options_.euclidean) {
      choose(found, ZDense<float>{dense_.view()}, context);
    } else if (context.device == Device::kCuda) {
      cuda::nearest_rows(found.col.data(), dense_.view(), wide);
    } else {
      cpu::nearest_rows(found.col.data(), dense_.view(), wide, context.threads);
    }
    return found;
  }

  // Orders them: the most similar comes first, the smaller row of two that are alike.
  void rank(NearestRows& found, int threads) const {
    if (copies_.crowd()) return;  // they are
    const int64_t n = static_cast<int64_t>(found.count.size());
    Pattern pairs;
    pairs.rows = pairs.cols = n;
    for (int64_t i = 0; i < n; ++i) pairs.row_ptr.push_back(pairs.row_ptr.back() + found.count[i]);
    pairs.col.resize(pairs.row_ptr.back());
    std::vector<float> s(pairs.col.size()), half(n, 0.0f);
    const bool by_distance = options_.euclidean && !is_sparse_;
    for_row_ranges(n, n * (found.wide + dense_.cols()), threads, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        std::copy_n(found.col.begin() + i * found.wide, found.count[i],
                    pairs.col.begin() + pairs.row_ptr[i]);
        const double size = by_distance ? length(dense_[i], dense_.cols()) : 0;
        half[i] = static_cast<float>(0.5 * size * size);
      }
    });
    if (is_sparse_) {
      const Transpose by_column = transpose(pattern_.view());
      cpu::edge_dot_forward(s.data(), pairs.view(), sparse(by_column), threads);
    } else {
      cpu::edge_dot_forward(s.data(), pairs.view(), ZDense<float>{dense_.view()}, threads);
    }
    for_row_ranges(n, 8 * n * found.wide, threads, [&](int64_t first, int64_t last) {
      std::vector<std::pair<float, int32_t>> row;
      for (int64_t i = first; i < last; ++i) {
        row.clear();
        for (int64_t e = pairs.row_ptr[i]; e < pairs.row_ptr[i + 1]; ++e) {
          row.emplace_back(half[pairs.col[e]] - s[e], pairs.col[e]);
        }
        std::sort(row.begin(), row.end());
        for (size_t c = 0; c < row.size(); ++c) {
          found.col[i * found.wide + static_cast<int64_t>(c)] = row[c].second;
        }
      }
    });
  }

 private:
  ComparedRows(Matrix rows, const RowGraphOptions& options)
      : options_(options), dense_(std::move(rows)) {}

  ZSparse<float> sparse(const Transpose& by_column) const {
    return {pattern_.view(), values_.data(), by_column.pattern.view(), by_column.source.data()};
  }

  template <class Z>
  static void choose(NearestRows& found, const Z& z, const Context& context) {
    const ChooseOptions options{.k = found.wide,
                                .positive_only = std::is_same_v<Z, ZSparse<float>>};
    if (context.device == Device::kCuda) {
      cuda::graph_learn_choose(found.col.data(), found.count.data(), nullptr, z, {}, options);
    } else {
      cpu::graph_learn_choose(found.col.data(), found.count.data(), nullptr, z, {}, options,
                              context.threads);
    }
  }

  static double length(const float* values, int64_t n) {
    double squares = 0;
    for (int64_t e = 0; e < n; ++e) squares += double{values[e]} * values[e];
    return std::sqrt(squares);
  }

  void join_labels(float* to, int64_t i) const {
    const double size = length((*labels_)[i], labels_->cols());
    for (int64_t c = 0; c < labels_->cols(); ++c) {
      to[c] = static_cast<float>(options_.label_weight * (*labels_)[i][c] / std::max(size, 1e-12));
    }
  }

  void join_dense(const Features& x, int threads) {
    const int64_t n = x.rows(), extra = labels_ ? labels_->cols() : 0;
    dense_ = Matrix(n, x.cols() + extra);
    std::vector<double> sizes(n);
    for_row_ranges(n, 4 * dense_.size(), threads, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        for (int64_t f = 0; f < x.cols(); ++f) dense_[i][f] = x.dense[i][f] * factor_[f];
        sizes[i] = length(dense_[i], x.cols());
        if (!options_.euclidean) scale(dense_[i], x.cols(), sizes[i]);
        if (labels_) join_labels(dense_[i] + x.cols(), i);
      }
    });
    if (!options_.euclidean || !labels_) return;
    double squares = 0;
    for (const double size : sizes) squares += size * size;
    const double typical = std::sqrt(squares / static_cast<double>(std::max<int64_t>(1, n)));
    for (int64_t i = 0; i < n; ++i) scale(dense_[i], x.cols(), typical);
  }

  void join_sparse(const Features& x) {
    is_sparse_ = true;
    const Pattern& from = *x.sparse.pattern;
    const int64_t extra = labels_ ? labels_->cols() : 0;
    pattern_.rows = from.rows;
    pattern_.cols = from.cols + extra;
    pattern_.col.reserve(from.nnz() + from.rows * extra);
    for (int64_t i = 0; i < from.rows; ++i) {
      const int64_t begin = static_cast<int64_t>(values_.size());
      for (int64_t e = from.row_ptr[i]; e < from.row_ptr[i + 1]; ++e) {
        pattern_.col.push_back(from.col[e]);
        values_.push_back(x.sparse.values[e] * factor_[from.col[e]]);
      }
      const int64_t own = static_cast<int64_t>(values_.size()) - begin;
      scale(values_.data() + begin, own, length(values_.data() + begin, own));
      for (int64_t c = 0; c < extra; ++c) {
        pattern_.col.push_back(static_cast<int32_t>(from.cols + c));
      }
      values_.resize(values_.size() + extra);
      if (labels_) join_labels(values_.data() + begin + own, i);
      pattern_.row_ptr.push_back(static_cast<int64_t>(values_.size()));
    }
  }

  static void scale(float* values, int64_t n, double size) {
    for (int64_t e = 0; e < n && size > 0; ++e) values[e] = static_cast<float>(values[e] / size);
  }

  const RowGraphOptions& options_;
  std::vector<float> factor_;
  const Matrix* labels_ = nullptr;
  bool is_sparse_ = false;
  Matrix dense_;
  RowCopies copies_;
  Pattern pattern_;
  std::vector<float> values_;
};

bool is_before(const Edge& a, const Edge& b) { return a.to < b.to; }

// One entry for each neighbour; gives their number. Those from `ascending` on ascend already.
// Weights of a vote are halves, so that the order of a sum does not matter.
int64_t merge(Edge* list, int64_t ascending, int64_t size) {
  if (!std::is_sorted(list, list + ascending, is_before)) {
    std::sort(list, list + ascending, is_before);
  }
  std::inplace_merge(list, list + ascending, list + size, is_before);
  int64_t kept = 0;
  for (int64_t e = 0; e < size; ++e) {
    if (kept > 0 && list[kept - 1].to == list[e].to)
      list[kept - 1].weight += list[e].weight;
    else
      list[kept++] = list[e];
  }
  return kept;
}

// The neighbours of every row, with room for those that may still come.
class EdgeRows {
 public:
  // Half a vote of each row for its k nearest in every view, and half of each of them for it.
  EdgeRows(std::span<const NearestRows* const> votes, const Csr* given, int64_t k, int threads)
      : threads_(threads), held_(votes.front()->count.size(), 0), begin_(held_.size() + 1, 0) {
    const int64_t n = rows();
    for_votes(votes, k, [&](int64_t i, int32_t) { ++begin_[i + 1]; });
    for (int64_t i = 0; i < n; ++i) {
      const int64_t more = given ? given->pattern->row_ptr[i + 1] - given->pattern->row_ptr[i] : 0;
      begin_[i + 1] += begin_[i] + more + 1;  // and a self-loop
      for (const NearestRows* nearest : votes) begin_[i + 1] += votes_of(*nearest, i, k);
    }
    edges_ = std::make_unique_for_overwrite<Edge[]>(begin_[n]);
    for_rows([&](int64_t i) {
      for (const NearestRows* nearest : votes) {
        for (int64_t c = 0; c < votes_of(*nearest, i, k); ++c) {
          add(i, {nearest->col[i * nearest->wide + c], 0.5f});
        }
      }
    });
    const std::vector<int64_t> own = held_;
    for_votes(votes, k, [&](int64_t i, int32_t j) { add(i, {j, 0.5f}); });
    // Votes for a row come in the order of the others, view by view.
    for_rows([&](int64_t i) { merge_row(i, votes.size() == 1 ? own[i] : held_[i]); });
  }

  int64_t rows() const { return static_cast<int64_t>(held_.size()); }

  // The given graph's edges beside the learned ones. Over the rows that have given edges, the
  // learned ones come to `learned_weight` times the sum of the given. A graph may know few of the
  // rows: the others keep their learned edges as they are, or they would be alone.
  void join(const Csr& given, double learned_weight) {
    std::vector<char> is_given(rows(), 0);
    double given_sum = 0, learned_sum = 0;
    for (int64_t i = 0; i < rows(); ++i) {
      double sum = 0;
      for (int64_t e = given.pattern->row_ptr[i]; e < given.pattern->row_ptr[i + 1]; ++e) {
        sum += given.values[e];
      }
      if (sum <= 0) continue;
      is_given[i] = 1;
      given_sum += sum;
      for (const Edge& edge : row(i)) learned_sum += edge.weight;
    }
    const auto scale =
        static_cast<float>(learned_sum > 0 ? learned_weight * given_sum / learned_sum : 0.0);
    const float between = std::sqrt(scale);
    for_rows([&](int64_t i) {
      for (Edge& edge : row(i)) {
        if (is_given[i] != is_given[edge.to])
          edge.weight *= between;
        else if (is_given[i])
          edge.weight *= scale;
      }
      const std::span<Edge> learned = row(i);
      const auto is_gone = [](const Edge& edge) { return edge.weight == 0; };
      held_[i] = std::remove_if(learned.begin(), learned.end(), is_gone) - learned.begin();
      for (int64_t e = given.pattern->row_ptr[i]; e < given.pattern->row_ptr[i + 1]; ++e) {
        add(i, {given.pattern->col[e], given.values[e]});
      }
      merge_row(i, held_[i]);
    });
  }

  Csr normalised(double self_weight) {
    const int64_t n = rows();
    std::vector<float> factor(n);
    for_rows([&](int64_t i) {
      if (self_weight > 0) {
        add(i, {static_cast<int32_t>(i), static_cast<float>(self_weight)});
        merge_row(i, held_[i] - 1);
      }
      double degree = 0;
      for (const Edge& edge : row(i)) degree += edge.weight;
      factor[i] = degree > 0 ? static_cast<float>(1 / std::sqrt(degree)) : 0.0f;
    });
    auto pattern = std::make_shared<Pattern>();
    pattern->rows = pattern->cols = n;
    pattern->row_ptr.reserve(n + 1);
    for (int64_t i = 0; i < n; ++i) {
      pattern->row_ptr.push_back(pattern->row_ptr.back() + held_[i]);
    }
    Csr s;
    pattern->col.resize(pattern->row_ptr.back());
    s.values.resize(pattern->row_ptr.back());
    for_rows([&](int64_t i) {
      int64_t e = pattern->row_ptr[i];
      for (const Edge& edge : row(i)) {
        pattern->col[e] = edge.to;
        s.values[e++] = edge.weight * (factor[i] * factor[edge.to]);
      }
    });
    s.pattern = std::move(pattern);
    return s;
  }

 private:
  static int64_t votes_of(const NearestRows& nearest, int64_t i, int64_t k) {
    return std::min(k, nearest.count[i]);
  }

  // visit(i, j) for each vote for i, of j. A thread looks at all of them, and visits those for its
  // own rows: no row has two writers.
  template <class Visit>
  void for_votes(std::span<const NearestRows* const> votes, int64_t k, const Visit& visit) const {
    const int64_t n = rows();
    parallel_for(threads_, threads_, 1, [&](int64_t part) {
      const auto first = static_cast<int32_t>(n * part / threads_);
      const auto last = static_cast<int32_t>(n * (part + 1) / threads_);
      for (const NearestRows* nearest : votes) {
        for (int64_t j = 0; j < n; ++j) {
          const int32_t* const of_row = nearest->col.data() + j * nearest->wide;
          for (int64_t c = 0; c < votes_of(*nearest, j, k); ++c) {
            if (of_row[c] >= first && of_row[c] < last) visit(of_row[c], static_cast<int32_t>(j));
          }
        }
      }
    });
  }
  template <class Work>
  void for_rows(const Work& work) const {
    const int64_t numbers = 8 * begin_.back();
    for_row_ranges(rows(), numbers, threads_, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) work(i);
    });
  }

  std::span<Edge> row(int64_t i) {
    return {edges_.get() + begin_[i], static_cast<size_t>(held_[i])};
  }
  void add(int64_t i, Edge edge) { edges_[begin_[i] + held_[i]++] = edge; }
  void merge_row(int64_t i, int64_t ascending) {
    held_[i] = merge(edges_.get() + begin_[i], ascending, held_[i]);
  }

  int threads_;
  std::vector<int64_t> held_, begin_;  // how many a row has, and where they begin
  std::unique_ptr<Edge[]> edges_;
};

}  // namespace

std::optional<NearestRows> rank_nearest(const cuda::HeldMatrix& view, int64_t k) {
  const int64_t n = view.rows(), wide = std::min(k, n - 1);
  // Counted beside: most tables have few copies, and then nothing is done in vain.
  std::future<int64_t> distinct =
      std::async(std::launch::async | std::launch::deferred, [&] { return view.distinct_rows(); });
  NearestRows ranked{wide, std::vector<int32_t>(n * wide), std::vector<int64_t>(n, wide)};
  cuda::ranked_rows(ranked.col.data(), view, wide);
  if (2 * distinct.get() <= n) return {};
  return ranked;
}

NearestRows rank_nearest(const Features& view, bool euclidean, int64_t k, const Context& context) {
  const RowGraphOptions options{.euclidean = euclidean};
  const ComparedRows rows(view, {}, options, context.threads);
  NearestRows found = rows.nearest(k, context);
  rows.rank(found, context.threads);
  return found;
}

Csr join_votes(std::span<const NearestRows* const> votes, const Csr* given,
               const RowGraphOptions& options, int threads) {
  EdgeRows edges(votes, given, options.k, threads);
  if (given) edges.join(*given, options.given_weight);
  return edges.normalised(options.self_weight);
}

Csr build_row_graph(const RowGraphInputs& inputs, const RowGraphOptions& options,
                    const Context& context) {
  std::vector<NearestRows> found;
  std::vector<const NearestRows*> votes;
  found.reserve(inputs.views.size());
  for (const Features* view : inputs.views) {
    const ComparedRows rows(*view, inputs, options, context.threads);
    votes.push_back(&found.emplace_back(rows.nearest(options.k, context)));
  }
  return join_votes(votes, inputs.given, options, context.threads);
}

}  // namespace glgnn
