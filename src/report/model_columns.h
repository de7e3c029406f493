// The features of a model in the words of the table they come from: "irrigated = no".
#pragma once

#include <glgnn/model.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace glgnn {

// What a row has in a column.
struct ColumnValue {
  std::string name;              // of the column, or of the feature where there are no columns
  std::string text;              // "no", "2024-05-17", "12.5", "missing"
  std::optional<double> number;  // in the units of the table; none for texts and dates

  std::string sentence() const { return name + (text == "missing" ? " is missing" : " = " + text); }
};

// Of a feature that is set in a row; `value` is the number that fit() saw.
ColumnValue column_value(const Model& model, int32_t feature, double value);

// The columns that became features, in their order. Points into the model.
class ModelColumns {
 public:
  explicit ModelColumns(const Model& model);

  const std::vector<std::string>& names() const { return names_; }
  // What the model's table has there; null where there is no table.
  const TableColumn* of_table(size_t column) const { return of_table_[column]; }
  // The first feature of each column; the next column's follow its last one.
  size_t first_feature(size_t column) const { return first_[column]; }
  // The largest weight of the features of each column.
  std::vector<double> merged(const std::vector<double>& feature_weights) const;

 private:
  std::vector<std::string> names_;
  std::vector<size_t> of_feature_, first_;
  std::vector<const TableColumn*> of_table_;
};

// A column of some rows, to show: numbers in the units of the table (not a number where it is
// missing), or places in `texts` where it has texts or dates.
struct ColumnCells {
  std::vector<double> values;
  std::vector<std::string> texts;  // in their order; empty where the values are numbers
  bool are_dates = false;          // dates and "missing", which is last
  bool are_close = false;          // float32 could not tell the values apart
};

ColumnCells column_cells(const Model& model, const ModelColumns& columns, size_t column,
                         const std::vector<int32_t>& rows);

}  // namespace glgnn
