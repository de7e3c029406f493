// What every module reads, made once for a fit: features in the shapes the ops want, labels, the
// graph.
#pragma once

#include <glgnn/config.h>
#include <glgnn/context.h>
#include <glgnn/trainer.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/rng.h"
#include "kernels/edges.h"

namespace glgnn {

// Labels as the graph learner sees them in one pass: a number where shown, zero elsewhere.
struct ShownLabels {
  Matrix first;      // N x C, of the first graph: lambda / sqrt(tau), so that Z . Z is S
  Matrix second;     // N x C, of the second graph: lambda
  Matrix xl_values;  // sparse X only: the values of Inputs::xl_pattern, labels as in `first`
  std::vector<std::vector<int32_t>> rows_of_class;  // the rows shown, ascending
};

// tau; where the setting leaves it open: 0.1, or 0.2 where a graph is given, whose pairs need less
// sharpening (docs/math.md).
double temperature_of(const Config& config, bool has_graph);

class Inputs {
 public:
  Inputs(const Problem& problem, const Config& config, const Context& context = {});

  int64_t rows() const { return problem_->features->rows(); }
  int64_t features() const { return problem_->features->cols(); }
  int64_t classes() const { return problem_->classes; }
  double temperature() const { return temperature_; }
  int64_t label_cols() const { return label_cols_; }
  // Of a shown label in the first graph and in the second.
  float first_weight() const { return first_weight_; }
  float second_weight() const { return second_weight_; }
  bool is_sparse() const { return problem_->features->is_sparse; }
  const Matrix& x() const { return is_sparse() ? x_values_ : problem_->features->dense; }
  const Pattern& x_pattern() const { return *problem_->features->sparse.pattern; }
  const Transpose& x_by_column() const { return x_by_column_; }
  SharedPattern xl_pattern() const { return xl_pattern_; }
  std::shared_ptr<const Transpose> xl_by_column() const { return xl_by_column_; }
  const Problem& problem() const { return *problem_; }
  // The columns most like each, where a graph of them is learned.
  const Csr& columns() const { return columns_; }
  std::shared_ptr<const Transpose> columns_turned() const { return columns_turned_; }

  // No label at all: dense rows do without the columns, which would be zero.
  ShownLabels no_labels() const { return {Matrix(rows(), 0), Matrix(rows(), 0), xl_values_, {}}; }
  // The labels of the training rows that `shown(row)` lets through.
  template <class Shown>
  ShownLabels show_labels(Shown&& shown) const {
    ShownLabels out{Matrix(rows(), label_cols_), Matrix(rows(), label_cols_), xl_values_, {}};
    out.rows_of_class.resize(label_cols_);
    if (label_cols_ == 0) return out;
    for (size_t t = 0; t < problem_->train.size(); ++t) {
      const int32_t row = problem_->train[t];
      if (!shown(row)) continue;
      out.first[row][problem_->labels[row]] = first_weight_;
      out.second[row][problem_->labels[row]] = second_weight_;
      out.rows_of_class[problem_->labels[row]].push_back(row);
      if (is_sparse()) out.xl_values.data()[label_entry_[t]] = first_weight_;
    }
    for (auto& list : out.rows_of_class) std::sort(list.begin(), list.end());
    return out;
  }

 private:
  void join_labels_to_sparse_features();

  const Problem* problem_;
  double temperature_;
  float first_weight_, second_weight_;  // of a shown label
  int64_t label_cols_;                  // C, or 0 if labels are no features
  // Sparse X: its values and transpose; and [labels, X] as one pattern with a slot for each
  // training row's label, whose values are zero until shown.
  Matrix x_values_;
  Transpose x_by_column_;
  SharedPattern xl_pattern_;
  std::shared_ptr<const Transpose> xl_by_column_;
  Matrix xl_values_;
  std::vector<int64_t> label_entry_;  // of each training row, in xl_pattern_
  Csr columns_;
  std::shared_ptr<const Transpose> columns_turned_;
};

}  // namespace glgnn
