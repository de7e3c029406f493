#include "data/row_encoder.h"

#include <cmath>

#include "data/text_rows.h"
#include "data/values.h"

namespace glgnn {

RowEncoder::RowEncoder(const TablePlan& plan, std::vector<int64_t> positions, Options options)
    : columns_(plan.columns), options_(options) {
  for (size_t j = 0; j < columns_.size(); ++j) {
    const auto count = static_cast<int64_t>(column_features(columns_[j]).size());
    if (count == 0) continue;
    Part part{&columns_[j], positions[j], features_, {}, 0, 0, {}};
    for (size_t l = 0; l < columns_[j].levels.size(); ++l) {
      part.levels.emplace(columns_[j].levels[l], static_cast<int64_t>(l));
    }
    parts_.push_back(std::move(part));
    features_ += count;
  }
}

void RowEncoder::encode(const std::vector<std::string>& fields, const Place& place, float* out) {
  for (Part& part : parts_) {
    const TableColumn& column = *part.column;
    const std::string& text = fields[static_cast<size_t>(part.position)];
    float* const features = out + part.first;
    const bool is_gap = is_missing(text);
    if (is_gap && std::isnan(column.median)) gap_without_median(part, text, place);
    if (is_gap && !column.indicator) ++part.new_gaps;
    if (column.kind == ColumnKind::kCategorical) {
      if (!is_gap) encode_level(part, text, features);
      if (is_gap && column.indicator) features[column.levels.size() + column.other] = 1.0f;
      continue;
    }
    const float value = is_gap ? static_cast<float>(column.median) : number(part, text, place);
    if (column.varies) features[0] = value;
    if (is_gap && column.indicator) features[column.varies] = 1.0f;
  }
}

void RowEncoder::encode_level(Part& part, const std::string& text, float* out) {
  const auto found = part.levels.find(text);
  if (found != part.levels.end()) {
    out[found->second] = 1.0f;
    return;
  }
  if (part.column->other) out[part.levels.size()] = 1.0f;
  if (part.new_levels++ == 0) part.example = text;
}

float RowEncoder::number(const Part& part, const std::string& text, const Place& place) const {
  double value = 0;
  if (part.column->kind == ColumnKind::kDate) {
    if (!parse_iso_date(text, value)) bad_number(part, text, place);
    return static_cast<float>(value);
  }
  const bool comma_allowed =
      part.column->decimal_comma || (!options_.fitting && !options_.comma_separates);
  const bool is_number =
      parse_number(text, value) || (comma_allowed && parse_decimal_comma(text, value));
  if (!is_number || !std::isfinite(static_cast<float>(value))) bad_number(part, text, place);
  return static_cast<float>(value);
}

void RowEncoder::gap_without_median(const Part& part, const std::string& text,
                                    const Place& place) const {
  fail(ErrorKind::kData, place,
       {"column " + quote(part.column->name) + ": missing value", text,
        "a number in every row, as the model was not fitted on a table",
        "fill in the value or remove the row"});
}

void RowEncoder::bad_number(const Part& part, const std::string& text, const Place& place) const {
  const std::string& name = part.column->name;
  const std::string where = "column " + quote(name) + ": ";
  const std::string or_else =
      options_.fitting ? "; if the column holds categories use --categorical " + name : "";
  double value = 0;
  if (part.column->kind == ColumnKind::kDate) {
    fail(ErrorKind::kData, place,
         {where + "not a date", text, "a date such as 2024-05-17 in every row, or a gap",
          "correct the value or remove the row" + or_else});
  }
  if (parse_number(text, value)) {
    fail(ErrorKind::kData, place,
         {where + "not a finite number", text, "a number that fits into float32",
          "replace the value, or leave it empty"});
  }
  std::string repair = "correct the value, or leave it empty" + or_else;
  if (has_grouped_digits(text)) {
    repair = "write numbers with a decimal point and without separators of thousands";
  } else if (parse_decimal_comma(text, value)) {
    std::string with_point = text;
    with_point[with_point.find(',')] = '.';
    repair = "write numbers with a decimal point: " + with_point;
  }
  fail(ErrorKind::kData, place,
       {where + "not a number", text, "a number in every row, or a gap", repair});
}

std::vector<std::string> RowEncoder::notes() const {
  std::vector<std::string> notes;
  for (const Part& part : parts_) {
    const std::string where = "column " + quote(part.column->name) + ": ";
    if (part.new_levels > 0 && !options_.fitting) {
      notes.push_back(where + counted(part.new_levels, "row") +
                      " with a level that is rare or new to the model, such as " +
                      quote(part.example) +
                      (part.column->other ? ", counted as (other)" : ", counted as no level"));
    }
    if (part.new_gaps > 0) {
      notes.push_back(where + counted(part.new_gaps, "gap") +
                      (part.column->kind == ColumnKind::kCategorical
                           ? ", where no level is set"
                           : ", filled with the median of the fitted rows"));
    }
  }
  return notes;
}

}  // namespace glgnn
