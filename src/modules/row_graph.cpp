#include "modules/row_graph.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/edge_dot.h"
#include "kernels/graph_learn.h"
#include "kernels/nearest_rows.h"
#include "kernels/transpose.h"

namespace glgnn {
namespace {

struct Edge {
  int32_t to;
  float weight;
};
using EdgeLists = std::vector<std::vector<Edge>>;

// [X * s^select, labels]: rows of length 1 on both sides, or both of the same mean square.
class ComparedRows {
 public:
  ComparedRows(const Features& x, const RowGraphInputs& inputs, const RowGraphOptions& options)
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
      join_dense(x);
  }

  // The k most similar rows of each row, in the order of the rows.
  NearestRows nearest(int64_t k, int threads) const {
    const int64_t n = is_sparse_ ? pattern_.rows : dense_.rows();
    const int64_t wide = std::min(k, n - 1);
    NearestRows found{wide, std::vector<int32_t>(n * wide), std::vector<int64_t>(n, wide)};
    if (wide == 0) return found;
    if (options_.euclidean && !is_sparse_) {
      cpu::nearest_rows(found.col.data(), dense_.view(), wide, threads);
    } else if (is_sparse_) {
      const Transpose by_column = transpose(pattern_.view());
      cpu::graph_learn_choose(found.col.data(), found.count.data(), nullptr, sparse(by_column), {},
                              {.k = wide, .positive_only = true}, threads);
    } else {
      cpu::graph_learn_choose(found.col.data(), found.count.data(), nullptr,
                              ZDense<float>{dense_.view()}, {}, {.k = wide}, threads);
    }
    return found;
  }

  // Orders them: the most similar comes first, the smaller row of two that are alike.
  void rank(NearestRows& found, int threads) const {
    const int64_t n = static_cast<int64_t>(found.count.size());
    Pattern pairs;
    pairs.rows = pairs.cols = n;
    for (int64_t i = 0; i < n; ++i) {
      const auto first = found.col.begin() + i * found.wide;
      pairs.col.insert(pairs.col.end(), first, first + found.count[i]);
      pairs.row_ptr.push_back(static_cast<int64_t>(pairs.col.size()));
    }
    std::vector<float> s(pairs.col.size());
    if (is_sparse_) {
      const Transpose by_column = transpose(pattern_.view());
      cpu::edge_dot_forward(s.data(), pairs.view(), sparse(by_column), threads);
    } else {
      cpu::edge_dot_forward(s.data(), pairs.view(), ZDense<float>{dense_.view()}, threads);
    }
    std::vector<float> half(n, 0.0f);
    for (int64_t i = 0; options_.euclidean && !is_sparse_ && i < n; ++i) {
      const double size = length(dense_[i], dense_.cols());
      half[i] = static_cast<float>(0.5 * size * size);
    }
    std::vector<std::pair<float, int32_t>> row;
    for (int64_t i = 0; i < n; ++i) {
      row.clear();
      for (int64_t e = pairs.row_ptr[i]; e < pairs.row_ptr[i + 1]; ++e) {
        row.emplace_back(half[pairs.col[e]] - s[e], pairs.col[e]);
      }
      std::sort(row.begin(), row.end());
      for (size_t c = 0; c < row.size(); ++c) {
        found.col[i * found.wide + static_cast<int64_t>(c)] = row[c].second;
      }
    }
  }

 private:
  ZSparse<float> sparse(const Transpose& by_column) const {
    return {pattern_.view(), values_.data(), by_column.pattern.view(), by_column.source.data()};
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

  void join_dense(const Features& x) {
    const int64_t extra = labels_ ? labels_->cols() : 0;
    dense_ = Matrix(x.rows(), x.cols() + extra);
    double squares = 0;
    for (int64_t i = 0; i < x.rows(); ++i) {
      for (int64_t f = 0; f < x.cols(); ++f) dense_[i][f] = x.dense[i][f] * factor_[f];
      const double size = length(dense_[i], x.cols());
      squares += size * size;
      if (!options_.euclidean) scale(dense_[i], x.cols(), size);
      if (labels_) join_labels(dense_[i] + x.cols(), i);
    }
    if (!options_.euclidean || !labels_) return;
    const double typical = std::sqrt(squares / static_cast<double>(std::max<int64_t>(1, x.rows())));
    for (int64_t i = 0; i < x.rows(); ++i) scale(dense_[i], x.cols(), typical);
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
  Pattern pattern_;
  std::vector<float> values_;
};

void add_votes(EdgeLists& edges, const NearestRows& nearest, int64_t k) {
  const int64_t n = static_cast<int64_t>(edges.size());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < std::min(k, nearest.count[i]); ++c) {
      const int32_t j = nearest.col[i * nearest.wide + c];
      edges[i].push_back({j, 0.5f});
      edges[j].push_back({static_cast<int32_t>(i), 0.5f});
    }
  }
}

// One entry for each neighbour, ascending. Equal weights of a vote are multiples of a half, so that
// the order of a sum does not matter.
void merge(std::vector<Edge>& list) {
  std::sort(list.begin(), list.end(), [](const Edge& a, const Edge& b) { return a.to < b.to; });
  size_t kept = 0;
  for (size_t e = 0; e < list.size(); ++e) {
    if (kept > 0 && list[kept - 1].to == list[e].to)
      list[kept - 1].weight += list[e].weight;
    else
      list[kept++] = list[e];
  }
  list.resize(kept);
}

double total(const EdgeLists& edges) {
  double sum = 0;
  for (const auto& list : edges) {
    for (const Edge& edge : list) sum += edge.weight;
  }
  return sum;
}

void join_given(EdgeLists& edges, const Csr& given, double learned_weight) {
  double given_sum = 0;
  for (const float value : given.values) given_sum += value;
  if (given_sum <= 0) return;  // no edges to measure the learned ones by
  const double learned_sum = total(edges);
  const auto factor =
      static_cast<float>(learned_sum > 0 ? learned_weight * given_sum / learned_sum : 0.0);
  for (int64_t i = 0; i < given.rows(); ++i) {
    auto& list = edges[i];
    if (factor == 0) list.clear();
    for (Edge& edge : list) edge.weight *= factor;
    for (int64_t e = given.pattern->row_ptr[i]; e < given.pattern->row_ptr[i + 1]; ++e) {
      list.push_back({given.pattern->col[e], given.values[e]});
    }
    merge(list);
  }
}

Csr normalised(EdgeLists& edges, double self_weight) {
  const int64_t n = static_cast<int64_t>(edges.size());
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = n;
  Csr s;
  std::vector<float> factor(n);
  for (int64_t i = 0; i < n; ++i) {
    if (self_weight > 0)
      edges[i].push_back({static_cast<int32_t>(i), static_cast<float>(self_weight)});
    merge(edges[i]);
    double degree = 0;
    for (const Edge& edge : edges[i]) degree += edge.weight;
    factor[i] = degree > 0 ? static_cast<float>(1 / std::sqrt(degree)) : 0.0f;
  }
  for (int64_t i = 0; i < n; ++i) {
    for (const Edge& edge : edges[i]) {
      pattern->col.push_back(edge.to);
      s.values.push_back(edge.weight * (factor[i] * factor[edge.to]));
    }
    pattern->row_ptr.push_back(static_cast<int64_t>(pattern->col.size()));
  }
  s.pattern = std::move(pattern);
  return s;
}

}  // namespace

NearestRows rank_nearest(const Features& view, bool euclidean, int64_t k, int threads) {
  const RowGraphOptions options{.euclidean = euclidean};
  const ComparedRows rows(view, {}, options);
  NearestRows found = rows.nearest(k, threads);
  rows.rank(found, threads);
  return found;
}

Csr join_votes(std::span<const NearestRows* const> votes, const Csr* given,
               const RowGraphOptions& options) {
  EdgeLists edges(votes.front()->count.size());
  for (const NearestRows* nearest : votes) add_votes(edges, *nearest, options.k);
  for (auto& list : edges) merge(list);
  if (given) join_given(edges, *given, options.given_weight);
  return normalised(edges, options.self_weight);
}

Csr build_row_graph(const RowGraphInputs& inputs, const RowGraphOptions& options, int threads) {
  std::vector<NearestRows> found;
  std::vector<const NearestRows*> votes;
  found.reserve(inputs.views.size());
  for (const Features* view : inputs.views) {
    votes.push_back(
        &found.emplace_back(ComparedRows(*view, inputs, options).nearest(options.k, threads)));
  }
  return join_votes(votes, inputs.given, options);
}

}  // namespace glgnn
