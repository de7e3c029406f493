#include "modules/paper/inputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "modules/feature_products.h"

namespace glgnn {
namespace {

double label_weight(const Config& config, double temperature) {
  return config.label_weight < 0 ? std::sqrt(temperature) : config.label_weight;
}

}  // namespace

double temperature_of(const Config& config, bool has_graph) {
  if (config.temperature > 0) return config.temperature;
  return has_graph ? 0.2 : 0.1;
}

Inputs::Inputs(const Problem& problem, const Config& config, const Context& context)
    : problem_(&problem),
      temperature_(temperature_of(config, problem.graph != nullptr)),
      first_weight_(
          static_cast<float>(label_weight(config, temperature_) / std::sqrt(temperature_))),
      second_weight_(static_cast<float>(label_weight(config, temperature_))),
      label_cols_(second_weight_ > 0 ? problem.classes : 0) {
  if (is_sparse()) join_labels_to_sparse_features();
  if (config.feature_graph) {
    columns_ = alike_columns(*problem.features, Opposite::kUnlike, context);
    columns_turned_ = std::make_shared<const Transpose>(transpose(columns_.pattern->view()));
  }
}

void Inputs::join_labels_to_sparse_features() {
  const Csr& x = problem_->features->sparse;
  x_by_column_ = transpose(x.pattern->view());
  x_values_ = Matrix(x.nnz(), 1);
  std::copy(x.values.begin(), x.values.end(), x_values_.data());

  std::vector<int64_t> train_position(rows(), -1);
  for (size_t t = 0; t < problem_->train.size(); ++t) {
    train_position[problem_->train[t]] = static_cast<int64_t>(t);
  }
  label_entry_.assign(problem_->train.size(), -1);
  auto joined = std::make_shared<Pattern>();
  joined->rows = rows();
  joined->cols = label_cols_ + features();
  std::vector<float> values;
  for (int64_t i = 0; i < rows(); ++i) {
    if (label_cols_ > 0 && train_position[i] >= 0) {
      label_entry_[train_position[i]] = joined->nnz();
      joined->col.push_back(problem_->labels[i]);
      values.push_back(0.0f);
    }
    for (int64_t e = x.pattern->row_ptr[i]; e < x.pattern->row_ptr[i + 1]; ++e) {
      joined->col.push_back(static_cast<int32_t>(label_cols_ + x.pattern->col[e]));
      values.push_back(x.values[e]);
    }
    joined->row_ptr.push_back(joined->nnz());
  }
  xl_values_ = Matrix(joined->nnz(), 1);
  std::copy(values.begin(), values.end(), xl_values_.data());
  xl_by_column_ = std::make_shared<const Transpose>(transpose(joined->view()));
  xl_pattern_ = std::move(joined);
}

}  // namespace glgnn
