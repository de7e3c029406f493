// Comparing rows with the fitted ones in one view, as the graph of a module does.
#pragma once

#include <glgnn/context.h>
#include <glgnn/dataset.h>

#include <memory>
#include <vector>

#include "kernels/edges.h"
#include "kernels/nearest_rows.h"

namespace glgnn {

// The fitted rows of a view, in the forms that comparisons read.
class ComparedView {
 public:
  explicit ComparedView(Features fitted);

  const Features& fitted() const { return fitted_; }
  int64_t rows() const { return fitted_.rows(); }
  int64_t cols() const { return fitted_.cols(); }
  const Transpose& by_column() const { return by_column_; }
  const std::vector<float>& values_by_column() const { return values_by_column_; }

 private:
  Features fitted_;
  Transpose by_column_;  // of sparse rows
  std::vector<float> values_by_column_;
};

struct ComparisonOptions {
  bool euclidean = false;  // else by the angle between rows, or by their product
  bool unit = true;        // not Euclidean: rows are made of length 1
  double label_weight = 0;
};

// Compares by features weighted with `selection` (empty: all alike) and by soft labels beside them.
class Comparison {
 public:
  // What is given must outlive this; `labels` are those of the fitted rows (N x C).
  Comparison(const ComparedView& view, const std::vector<float>& selection, const Matrix& labels,
             const ComparisonOptions& options, const Context& context);

  // The k most similar fitted rows of each row, ascending: R x min(k, N). `labels` (R x C) may be
  // empty: features alone are compared.
  std::vector<int32_t> nearest(const Features& rows, const Matrix& labels, int64_t k) const;

  // The product of row r of `rows` with fitted row j as similarity sees it (not Euclidean).
  double similarity(const Features& rows, int64_t r, int32_t j) const;
  // The squared distance as the comparison sees it, of features alone.
  double distance(const Features& rows, int64_t r, int32_t j) const;

 private:
  double weighted_dot(const Features& rows, int64_t r, int32_t j) const;
  double weighted_square(const Features& rows, int64_t r) const;
  double weight(int64_t f) const { return squared_selection_.empty() ? 1 : squared_selection_[f]; }

  const ComparedView& view_;
  ComparisonOptions options_;
  std::vector<float> squared_selection_;
  std::vector<float> scale_, offset_;  // of the fitted rows (kernels/nearest_rows.h)
  std::vector<double> square_;         // weighted squared length of the fitted rows
  double typical_square_ = 1;          // Euclidean with labels: what features are divided by
  Matrix unit_labels_;                 // of the fitted rows
  int threads_;
  std::unique_ptr<const cuda::HeldRows> held_;  // where a GPU compares
};

}  // namespace glgnn
