#include "report/model_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/values.h"

namespace glgnn {
namespace {

// Before the scaling of columns; scalings of rows cannot be taken back.
double unscaled(const FeatureScale& scale, size_t feature, double value) {
  if (feature >= scale.factor.size() || scale.factor[feature] == 0) return value;
  return value / scale.factor[feature] + scale.shift[feature];
}

std::string level_text(const TableColumn& column, size_t place, bool is_set) {
  if (!is_set) return "none of its levels";
  if (place < column.levels.size()) return column.levels[place];
  return column.other && place == column.levels.size() ? "(other)" : "missing";
}

}  // namespace

ColumnValue column_value(const Model& model, int32_t feature, double value) {
  const auto f = static_cast<size_t>(feature);
  const double number = unscaled(model.plan.scale, f, value);
  if (model.plan.columns.empty()) {
    return {model.feature_names[f], fmt::format("{:.4g}", number), number};
  }
  const std::vector<int32_t> columns = feature_columns(model.plan);
  const TableColumn& column = model.plan.columns[static_cast<size_t>(columns[f])];
  const auto place = static_cast<size_t>(
      f -
      static_cast<size_t>(std::find(columns.begin(), columns.end(), columns[f]) - columns.begin()));
  const bool is_set = number > 0.5;
  if (column.kind == ColumnKind::kCategorical) {
    return {column.name, level_text(column, place, is_set), std::nullopt};
  }
  if (place > 0 || !column.varies) return {column.name, is_set ? "missing" : "there", std::nullopt};
  if (column.kind == ColumnKind::kDate) return {column.name, date_text(number), std::nullopt};
  return {column.name, fmt::format("{:.4g}", number), number};
}

ModelColumns::ModelColumns(const Model& model) {
  int32_t last = -1;
  const std::vector<int32_t> columns = feature_columns(model.plan);
  for (size_t f = 0; f < model.feature_names.size(); ++f) {
    const bool has_column = f < columns.size() && !model.plan.columns.empty();
    if (!has_column || columns[f] != last) {
      names_.push_back(has_column ? model.plan.columns[static_cast<size_t>(columns[f])].name
                                  : model.feature_names[f]);
    }
    last = has_column ? columns[f] : -1;
    of_feature_.push_back(names_.size() - 1);
  }
}

std::vector<double> ModelColumns::merged(const std::vector<double>& feature_weights) const {
  std::vector<double> largest(names_.size(), 0.0);
  for (size_t f = 0; f < feature_weights.size(); ++f) {
    double& weight = largest[of_feature_[f]];
    weight = std::max(weight, std::abs(feature_weights[f]));
  }
  return largest;
}

}  // namespace glgnn
