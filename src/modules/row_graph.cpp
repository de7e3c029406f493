#include "modules/row_graph.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

  // The k most similar rows of each row, as lists of columns.
  std::vector<int32_t> neighbours(int64_t k, std::vector<int64_t>& count, int threads) const {
    const int64_t n = is_sparse_ ? pattern_.rows : dense_.rows();
    std::vector<int32_t> col(n * k);
    count.assign(n, k);
    if (options_.euclidean && !is_sparse_) {
      cpu::nearest_rows(col.data(), dense_.view(), k, threads);
    } else if (is_sparse_) {
      const Transpose by_column = transpose(pattern_.view());
      const ZSparse<float> z{pattern_.view(), values_.data(), by_column.pattern.view(),
                             by_column.source.data()};
      cpu::graph_learn_choose(col.data(), count.data(), nullptr, z, {},
                              {.k = k, .positive_only = true}, threads);
    } else {
      cpu::graph_learn_choose(col.data(), count.data(), nullptr, ZDense<float>{dense_.view()}, {},
                              {.k = k}, threads);
    }
    return col;
  }

 private:
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

void add_votes(EdgeLists& edges, const ComparedRows& rows, int64_t k, int threads) {
  const int64_t n = static_cast<int64_t>(edges.size());
  const int64_t kept = std::min(k, n - 1);
  std::vector<int64_t> count;
  const std::vector<int32_t> col = rows.neighbours(kept, count, threads);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < count[i]; ++c) {
      const int32_t j = col[i * kept + c];
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

Csr build_row_graph(const RowGraphInputs& inputs, const RowGraphOptions& options, int threads) {
  EdgeLists edges(inputs.views.front()->rows());
  for (const Features* view : inputs.views) {
    add_votes(edges, ComparedRows(*view, inputs, options), options.k, threads);
  }
  for (auto& list : edges) merge(list);
  if (inputs.given) join_given(edges, *inputs.given, options.given_weight);
  return normalised(edges, options.self_weight);
}

}  // namespace glgnn
