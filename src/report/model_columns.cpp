#include "report/model_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rows.h"
#include "data/number_style.h"
#include "data/table_header.h"

namespace glgnn {
namespace {

// Before the scaling of columns; `value` is what it was before that of rows.
double unscaled(const FeatureScale& scale, size_t feature, double value) {
  if (feature >= scale.factor.size() || scale.factor[feature] == 0) return value;
  const double apart = value / scale.factor[feature], shift = scale.shift[feature];
  const double found = apart + shift, whole = std::round(found);
  constexpr double kRounding = 4 * std::numeric_limits<float>::epsilon();
  const bool is_whole = std::abs(found - whole) <= kRounding * (std::abs(apart) + std::abs(shift));
  return is_whole ? whole : found;  // a date is no second before midnight
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
    return {model.feature_names[f], short_number(number), number};
  }
  const std::vector<int32_t> columns = feature_columns(model.plan);
  const TableColumn& column = model.plan.columns[static_cast<size_t>(columns[f])];
  if (column.has_words()) return {model.feature_names[f], short_number(number), number};
  const auto place = static_cast<size_t>(
      f -
      static_cast<size_t>(std::find(columns.begin(), columns.end(), columns[f]) - columns.begin()));
  const bool is_set = number > 0.5;
  if (column.kind == ColumnKind::kCategorical) {
    return {column.name, level_text(column, place, is_set), std::nullopt};
  }
  if (place > 0 || !column.varies) return {column.name, is_set ? "missing" : "there", std::nullopt};
  const double own = kept_number(column, number + column.offset);
  const bool is_text =
      column.kind == ColumnKind::kDate || !clock_text(own, column.style.unit).empty();
  return {column.name, value_text(column, own), is_text ? std::nullopt : std::optional(own)};
}

ModelColumns::ModelColumns(const Model& model) {
  int32_t last = -1;
  const std::vector<int32_t> columns = feature_columns(model.plan);
  for (size_t f = 0; f < model.feature_names.size(); ++f) {
    const bool has_column = f < columns.size() && !model.plan.columns.empty() &&
                            !model.plan.columns[static_cast<size_t>(columns[f])].has_words();
    if (!has_column || columns[f] != last) {
      const TableColumn* column =
          has_column ? &model.plan.columns[static_cast<size_t>(columns[f])] : nullptr;
      names_.push_back(column ? column->name : model.feature_names[f]);
      of_table_.push_back(column);
      first_.push_back(f);
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

ColumnCells column_cells(const Model& model, const ModelColumns& columns, size_t column,
                         const std::vector<int32_t>& rows) {
  const size_t first = columns.first_feature(column);
  const bool is_last = column + 1 == columns.names().size();
  const size_t count =
      (is_last ? model.feature_names.size() : columns.first_feature(column + 1)) - first;
  const TableColumn* plan = columns.of_table(column);
  ColumnCells cells;
  cells.are_dates = plan && plan->kind == ColumnKind::kDate && plan->varies;
  cells.are_close = plan && plan->kind == ColumnKind::kNumeric && plan->offset != 0;
  std::vector<std::string> texts;
  for (const int32_t row : rows) {
    const auto number = [&](size_t place) {
      const std::vector<float>& sizes = model.features.row_size;
      const double size = sizes.empty() ? 1 : sizes[static_cast<size_t>(row)];
      return unscaled(model.plan.scale, first + place,
                      size * number_at(model.features, row, static_cast<int64_t>(first + place)));
    };
    if (!plan || (plan->kind == ColumnKind::kNumeric && plan->varies)) {
      const bool missing = count > 1 && number(count - 1) > 0.5;
      const double own = plan ? kept_number(*plan, number(0) + plan->offset) : number(0);
      cells.values.push_back(missing ? std::numeric_limits<double>::quiet_NaN() : own);
    } else if (plan->kind == ColumnKind::kCategorical) {
      size_t place = 0;
      while (place < count && number(place) <= 0.5) ++place;
      texts.push_back(level_text(*plan, place, place < count));
    } else if (number(count - 1) > 0.5 && plan->indicator) {
      texts.push_back("missing");
    } else {
      texts.push_back(plan->varies ? value_text(*plan, number(0) + plan->offset) : "there");
    }
  }
  if (texts.empty()) return cells;
  cells.texts = texts;
  std::sort(cells.texts.begin(), cells.texts.end());
  cells.texts.erase(std::unique(cells.texts.begin(), cells.texts.end()), cells.texts.end());
  for (const std::string& text : texts) {
    const auto place = std::lower_bound(cells.texts.begin(), cells.texts.end(), text);
    cells.values.push_back(static_cast<double>(place - cells.texts.begin()));
  }
  return cells;
}

}  // namespace glgnn
