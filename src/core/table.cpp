#include <glgnn/table.h>

#include <algorithm>

namespace glgnn {

std::string column_kind_name(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kNumeric:
      return "numeric";
    case ColumnKind::kCategorical:
      return "categorical";
    case ColumnKind::kDate:
      return "date";
    case ColumnKind::kUnclearDate:
      return "unclear date";
    case ColumnKind::kLabel:
      return "label";
    case ColumnKind::kRowId:
      return "row id";
    case ColumnKind::kIdentifier:
      return "identifier";
    case ColumnKind::kText:
      return "text";
    case ColumnKind::kConstant:
      return "constant";
    case ColumnKind::kEmpty:
      return "empty";
    case ColumnKind::kDropped:
      return "dropped";
  }
  return "";
}

std::vector<std::string> column_features(const TableColumn& column) {
  std::vector<std::string> names;
  if (!column.is_used()) return names;
  if (column.kind == ColumnKind::kCategorical) {
    for (const std::string& level : column.levels) names.push_back(column.name + "=" + level);
    if (column.other) names.push_back(column.name + "=(other)");
  } else if (column.has_words()) {
    for (const std::string& word : column.levels) names.push_back(column.name + ": " + word);
  } else if (column.varies) {
    names.push_back(column.name);
  }
  if (column.indicator) names.push_back(column.name + " is missing");
  return names;
}

std::vector<int32_t> feature_columns(const TablePlan& plan) {
  std::vector<int32_t> columns;
  for (size_t j = 0; j < plan.columns.size(); ++j) {
    columns.insert(columns.end(), column_features(plan.columns[j]).size(), static_cast<int32_t>(j));
  }
  for (size_t f = columns.size(); f < plan.feature_names.size(); ++f) {
    columns.push_back(static_cast<int32_t>(f));
  }
  return columns;
}

std::vector<IndicatorBlock> indicator_blocks(const TablePlan& plan) {
  std::vector<IndicatorBlock> blocks;
  int64_t first = 0;
  for (const TableColumn& column : plan.columns) {
    const auto count = static_cast<int64_t>(column_features(column).size());
    const bool has_number = column.kind != ColumnKind::kCategorical && column.varies;
    const int64_t numbers =
        column.has_words() ? count : std::min<int64_t>(count, has_number ? 1 : 0);
    if (count > numbers) blocks.push_back({first + numbers, count - numbers});
    first += count;
  }
  return blocks;
}

}  // namespace glgnn
