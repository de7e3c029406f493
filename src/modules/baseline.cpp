#include "modules/baseline.h"

#include <algorithm>

#include "modules/eigen.h"
#include "modules/landmarks.h"
#include "modules/soft_labels.h"

namespace glgnn {
namespace {

// Sparse rows as dense ones with the same products, as many columns as there are rows: logistic
// regression sees nothing of its rows but their products.
Matrix with_same_products(const Features& x, const std::vector<int32_t>& rows) {
  const auto n = static_cast<int64_t>(rows.size());
  Eigen::MatrixXd products(n, n);
  std::vector<double> spread(x.cols(), 0.0);
  const Pattern& pattern = *x.sparse.pattern;
  const auto entries = [&](int64_t i, auto&& visit) {
    for (int64_t e = pattern.row_ptr[rows[i]]; e < pattern.row_ptr[rows[i] + 1]; ++e) {
      visit(pattern.col[e], double{x.sparse.values[e]});
    }
  };
  for (int64_t i = 0; i < n; ++i) {
    entries(i, [&](int32_t f, double value) { spread[f] = value; });
    for (int64_t j = 0; j <= i; ++j) {
      double sum = 0;
      entries(j, [&](int32_t f, double value) { sum += spread[f] * value; });
      products(i, j) = products(j, i) = sum;
    }
    entries(i, [&](int32_t f, double) { spread[f] = 0; });
  }
  const Eigen::LDLT<Eigen::MatrixXd> factor(products);
  const Eigen::VectorXd sizes = factor.vectorD().cwiseMax(0.0).cwiseSqrt();
  const Eigen::MatrixXd lower = factor.matrixL();
  return to_matrix(factor.transpositionsP().transpose() * (lower * sizes.asDiagonal()));
}

}  // namespace

Matrix baseline_answers(const Problem& problem, SharedInputs& shared, const Context& context) {
  const bool is_text = problem.features->is_sparse;
  return baseline_answers(problem, shared.view(is_text ? View::kTfidf : View::kStandard), context);
}

Matrix baseline_answers(const Problem& problem, const Features& x, const Context& context) {
  // The labelled rows alone: training rows first, no more than the head would use.
  const auto part = [](const std::vector<int32_t>& rows) {
    return std::vector<int32_t>(rows.begin(),
                                rows.begin() + std::min<int64_t>(std::ssize(rows), kMostLandmarks));
  };
  std::vector<int32_t> rows = part(problem.train);
  const auto trained = static_cast<int64_t>(rows.size());
  rows.insert(rows.end(), problem.val.begin(), problem.val.end());
  Matrix dense;
  if (x.is_sparse) {
    dense = with_same_products(x, rows);
  } else {
    dense = Matrix(static_cast<int64_t>(rows.size()), x.cols());
    for (size_t i = 0; i < rows.size(); ++i) {
      std::copy_n(x.dense[rows[i]], x.cols(), dense[static_cast<int64_t>(i)]);
    }
  }
  Problem small;
  Features only_rows;
  only_rows.dense = dense;
  small.features = &only_rows;
  small.classes = problem.classes;
  small.classes_alike = problem.classes_alike;
  for (const int32_t row : rows) small.labels.push_back(problem.labels[row]);
  for (int64_t i = 0; i < std::ssize(rows); ++i) {
    (i < trained ? small.train : small.val).push_back(static_cast<int32_t>(i));
  }
  const LandmarkHead head =
      fit_landmarks(only_rows, small, {.curved = false, .selects = false, .smoothing = {}});
  Matrix p = landmark_logits(head, dense, context.threads);
  softmax_rows(p);
  return validation_rows(p, small);
}

}  // namespace glgnn
