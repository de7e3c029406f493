#include "modules/comparison.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace glgnn {
namespace {

// Calls visit(column, value) for each stored number of a row.
template <class Visit>
void for_row(const Features& x, int64_t i, const Visit& visit) {
  if (x.is_sparse) {
    const Pattern& pattern = *x.sparse.pattern;
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      visit(pattern.col[e], x.sparse.values[e]);
    }
  } else {
    for (int64_t f = 0; f < x.dense.cols(); ++f) visit(f, x.dense[i][f]);
  }
}

// Rows of length `size`.
Matrix with_length(const Matrix& p, double size) {
  Matrix out = p;
  for (int64_t i = 0; i < p.rows(); ++i) {
    double squares = 0;
    for (int64_t c = 0; c < p.cols(); ++c) squares += double{p[i][c]} * p[i][c];
    const double length = std::max(std::sqrt(squares), 1e-12);
    for (int64_t c = 0; c < p.cols(); ++c) out[i][c] = static_cast<float>(size * p[i][c] / length);
  }
  return out;
}

// The product of two sparse rows, both ascending, column by column weighted.
template <class Weight>
double sparse_dot(const Csr& a, int64_t i, const Csr& b, int64_t j, const Weight& weight) {
  const Pattern &p = *a.pattern, &q = *b.pattern;
  double sum = 0;
  for (int64_t e = p.row_ptr[i], g = q.row_ptr[j]; e < p.row_ptr[i + 1] && g < q.row_ptr[j + 1];) {
    if (p.col[e] == q.col[g]) {
      sum += weight(p.col[e]) * a.values[e] * b.values[g];
      ++e, ++g;
    } else if (p.col[e] < q.col[g]) {
      ++e;
    } else {
      ++g;
    }
  }
  return sum;
}

}  // namespace

ComparedView::ComparedView(Features fitted) : fitted_(std::move(fitted)) {
  if (!fitted_.is_sparse) return;
  by_column_ = transpose(fitted_.sparse.pattern->view());
  for (const int64_t source : by_column_.source) {
    values_by_column_.push_back(fitted_.sparse.values[source]);
  }
}

Comparison::Comparison(const ComparedView& view, const std::vector<float>& selection,
                       const Matrix& labels, const ComparisonOptions& options,
                       const Context& context)
    : view_(view), options_(options), threads_(context.threads) {
  if (static_cast<int64_t>(selection.size()) == view.cols()) {
    for (const float weight : selection) squared_selection_.push_back(weight * weight);
  }
  const int64_t n = view.rows();
  double all = 0;
  for (int64_t j = 0; j < n; ++j) {
    square_.push_back(weighted_square(view.fitted(), j));
    all += square_.back();
  }
  const bool has_labels = options_.label_weight > 0;
  if (has_labels && options_.euclidean && all > 0) typical_square_ = all / static_cast<double>(n);
  if (has_labels) unit_labels_ = with_length(labels, options_.label_weight);
  for (const double square : square_) {
    const double length = std::sqrt(square);
    scale_.push_back(static_cast<float>(options_.euclidean            ? 1 / typical_square_
                                        : options_.unit && length > 0 ? 1 / length
                                                                      : 1.0));
    offset_.push_back(
        static_cast<float>(options_.euclidean ? 0.5 * square / typical_square_ : 0.0));
  }
  if (context.device != Device::kCuda || view.fitted().is_sparse) return;
  const MatView<const float> fitted = view.fitted().dense.view();
  held_ = std::make_unique<const cuda::HeldRows>(fitted, scale_.data(), offset_.data(),
                                                 std::as_const(unit_labels_).view());
}

std::vector<int32_t> Comparison::nearest(const Features& rows, const Matrix& labels,
                                         int64_t k) const {
  Features q = rows;
  for (int64_t r = 0; r < q.rows(); ++r) {
    const double length = std::sqrt(weighted_square(rows, r));
    const bool shrinks = !options_.euclidean && options_.unit && length > 0;
    const auto factor = [&](int64_t f) {
      return static_cast<float>(weight(f) / (shrinks ? length : 1.0));
    };
    if (q.is_sparse) {
      const Pattern& pattern = *q.sparse.pattern;
      for (int64_t e = pattern.row_ptr[r]; e < pattern.row_ptr[r + 1]; ++e) {
        q.sparse.values[e] *= factor(pattern.col[e]);
      }
    } else {
      for (int64_t f = 0; f < q.dense.cols(); ++f) q.dense[r][f] *= factor(f);
    }
  }
  const bool has_labels = options_.label_weight > 0 && !labels.empty();
  const Matrix none(rows.rows(), 0), none_fitted(view_.rows(), 0);
  const Matrix u = has_labels ? with_length(labels, options_.label_weight) : none;
  const Matrix& v = has_labels ? unit_labels_ : none_fitted;
  const QueryTerms<float> terms{scale_.data(), offset_.data(), u.view(), v.view()};
  std::vector<int32_t> col(rows.rows() * std::min(k, view_.rows()));
  if (q.is_sparse) {
    cpu::query_rows(col.data(), q.sparse.pattern->view(), q.sparse.values.data(),
                    {view_.by_column().pattern.view(), view_.values_by_column().data()}, terms, k,
                    threads_);
  } else if (held_) {
    held_->query(col.data(), std::as_const(q.dense).view(), u.view(), k);
  } else {
    cpu::query_rows(col.data(), std::as_const(q.dense).view(), view_.fitted().dense.view(), terms,
                    k, threads_);
  }
  return col;
}

double Comparison::weighted_dot(const Features& rows, int64_t r, int32_t j) const {
  const Features& fitted = view_.fitted();
  if (rows.is_sparse) {
    return sparse_dot(rows.sparse, r, fitted.sparse, j, [&](int64_t f) { return weight(f); });
  }
  double sum = 0;
  for (int64_t f = 0; f < fitted.cols(); ++f) {
    sum += weight(f) * rows.dense[r][f] * fitted.dense[j][f];
  }
  return sum;
}

double Comparison::weighted_square(const Features& rows, int64_t r) const {
  double sum = 0;
  for_row(rows, r, [&](int64_t f, double value) { sum += weight(f) * value * value; });
  return sum;
}

double Comparison::similarity(const Features& rows, int64_t r, int32_t j) const {
  const double dot = weighted_dot(rows, r, j);
  if (!options_.unit) return dot;
  const double sizes = std::sqrt(weighted_square(rows, r) * square_[j]);
  return sizes > 0 ? dot / sizes : 0;
}

double Comparison::distance(const Features& rows, int64_t r, int32_t j) const {
  if (!options_.euclidean && options_.unit) return 2 - 2 * similarity(rows, r, j);
  return weighted_square(rows, r) + square_[j] - 2 * weighted_dot(rows, r, j);
}

}  // namespace glgnn
