#include <algorithm>
#include <iterator>
#include <utility>

#include "core/rows.h"
#include "modules/eigen.h"
#include "modules/landmarks.h"
#include "modules/module.h"
#include "modules/soft_labels.h"

namespace glgnn {
namespace {

// Sparse rows as dense ones that have the same products with the first `trained` of them, and as
// many columns: logistic regression that learned from those sees nothing else of a row. Pairs of
// other rows, of which there may be many, are not compared.
Matrix with_same_products(const Features& x, const std::vector<int32_t>& rows, int64_t trained) {
  constexpr double kLeast = 1e-6;  // of the largest size: below, a row is the sum of others
  const auto n = static_cast<int64_t>(rows.size());
  Eigen::MatrixXd products(trained, n);
  std::vector<double> spread(x.cols(), 0.0);
  const Pattern& pattern = *x.sparse.pattern;
  const auto entries = [&](int64_t i, auto&& visit) {
    for (int64_t e = pattern.row_ptr[rows[i]]; e < pattern.row_ptr[rows[i] + 1]; ++e) {
      visit(pattern.col[e], double{x.sparse.values[e]});
    }
  };
  for (int64_t t = 0; t < trained; ++t) {
    entries(t, [&](int32_t f, double value) { spread[f] = value; });
    for (int64_t i = 0; i < n; ++i) {
      double sum = 0;
      entries(i, [&](int32_t f, double value) { sum += spread[f] * value; });
      products(t, i) = sum;
    }
    entries(t, [&](int32_t f, double) { spread[f] = 0; });
  }
  const Eigen::LDLT<Eigen::MatrixXd> factor(products.leftCols(trained));
  const Eigen::VectorXd sizes = factor.vectorD().cwiseMax(0.0).cwiseSqrt();
  Eigen::MatrixXd out = factor.transpositionsP() * products;
  factor.matrixL().solveInPlace(out);
  for (int64_t t = 0; t < trained; ++t) {
    out.row(t) *= sizes(t) > kLeast * sizes.maxCoeff() ? 1 / sizes(t) : 0.0;
  }
  return to_matrix(out.transpose());
}

// The labelled rows: training rows first, no more than the head would use. Those are drawn, because
// the rows of a file may lie in the order of their classes.
struct LabelledRows {
  std::vector<int32_t> rows;
  int64_t trained;

  LabelledRows(const Problem& problem, int64_t most)
      : rows(some_rows(problem.train, most, {.stream = Stream::kLandmarks})),
        trained(std::ssize(rows)) {
    rows.insert(rows.end(), problem.val.begin(), problem.val.end());
  }
};

Matrix answers_from(Matrix dense, const LabelledRows& labelled, const Problem& problem,
                    int threads) {
  Problem small;
  Features only_rows;
  only_rows.dense = std::move(dense);
  small.features = &only_rows;
  small.classes = problem.classes;
  small.classes_alike = problem.classes_alike;
  for (const int32_t row : labelled.rows) small.labels.push_back(problem.labels[row]);
  for (int64_t i = 0; i < std::ssize(labelled.rows); ++i) {
    (i < labelled.trained ? small.train : small.val).push_back(static_cast<int32_t>(i));
  }
  const LandmarkHead head = fit_landmarks(
      only_rows, small, {.curved = false, .selects = false, .smoothing = {}}, threads);
  Matrix p = landmark_logits(head, only_rows.dense, threads);
  softmax_rows(p);
  return validation_rows(p, small);
}

}  // namespace

Matrix baseline_answers(const Problem& problem, SharedInputs& shared, const Context& context) {
  if (problem.features->is_sparse) {
    const bool is_narrow = problem.features->cols() <= kMostDenseColumns;
    return baseline_answers(problem, shared.view(is_narrow ? View::kStandard : View::kTfidf),
                            context);
  }
  const LabelledRows labelled(problem, kMostTeachers);
  return answers_from(shared.rows(View::kStandard, labelled.rows).dense, labelled, problem,
                      context.threads);
}

Matrix baseline_answers(const Problem& problem, const Features& x, const Context& context) {
  const LabelledRows labelled(problem, x.is_sparse ? kMostLandmarks : kMostTeachers);
  Matrix dense;
  if (x.is_sparse) {
    dense = with_same_products(x, labelled.rows, labelled.trained);
  } else {
    dense = Matrix(std::ssize(labelled.rows), x.cols());
    for (int64_t i = 0; i < dense.rows(); ++i) {
      std::copy_n(x.dense[labelled.rows[i]], x.cols(), dense[i]);
    }
  }
  return answers_from(std::move(dense), labelled, problem, context.threads);
}

}  // namespace glgnn
