#include "data/row_encoder.h"

#include <algorithm>
#include <cmath>

#include "data/dates.h"
#include "data/labels.h"
#include "data/number_style.h"
#include "data/text_rows.h"
#include "data/values.h"
#include "data/words.h"

namespace glgnn {
namespace {

// "-" among levels such as "+".
bool is_sign_level(const TableColumn& column, const Cell& cell) {
  return is_sign(cell.text) && std::ranges::find(column.levels, cell.text) != column.levels.end();
}

std::string date_example(DateOrder order) {
  if (order == DateOrder::kYear) return "2024-05-17";
  return order == DateOrder::kDay ? "17.05.2024" : "05/17/2024";
}

}  // namespace

RowEncoder::RowEncoder(const TablePlan& plan, std::vector<int64_t> positions, Options options)
    : columns_(plan.columns), options_(options) {
  for (size_t j = 0; j < columns_.size(); ++j) {
    const auto count = static_cast<int64_t>(column_features(columns_[j]).size());
    if (count == 0) continue;
    Part part;
    part.column = &columns_[j];
    part.position = positions[j];
    part.first = features_;
    for (size_t l = 0; l < columns_[j].levels.size(); ++l) {
      const std::string& level = columns_[j].levels[l];
      const auto at = static_cast<int64_t>(l);
      // Gives way to a level of this very text; words have one spelling.
      if (!columns_[j].has_words()) part.levels.emplace(label_key(level), at);
      part.levels[level] = at;
    }
    for (const auto& [word, number] : {std::pair{"false", "0"}, std::pair{"true", "1"}}) {
      const auto found = part.levels.find(word);
      if (found != part.levels.end()) part.levels.emplace(number, found->second);
    }
    parts_.push_back(std::move(part));
    features_ += count;
  }
}

void RowEncoder::encode(const std::vector<Cell>& cells, const CellRows& place, float* out) {
  for (Part& part : parts_) {
    const TableColumn& column = *part.column;
    const Cell& cell = cells[static_cast<size_t>(part.position)];
    float* const features = out + part.first;
    double value = column.median;
    bool is_gap = cell.is_gap && !is_sign_level(column, cell);
    if (column.has_words()) {
      if (!is_gap) count_words_of(part, cell, features);
      continue;
    }
    if (column.kind == ColumnKind::kCategorical) {
      if (!is_gap && column.varies) encode_level(part, cell, features);
      if (is_gap && column.indicator) features[column.levels.size() + column.other] = 1.0f;
    } else {
      if (!is_gap && !read_number(part, cell, place, value)) {
        is_gap = may_mean_unknown(cell.text);
        if (!is_gap) bad_number(part, cell_text(cell), place);
      }
      if (column.varies) features[0] = static_cast<float>(value - column.offset);
      if (is_gap && column.indicator) features[column.varies] = 1.0f;
    }
    if (is_gap && std::isnan(column.median)) gap_without_median(part, cell, place.place());
    if (is_gap && !column.indicator) ++part.new_gaps;
  }
}

void RowEncoder::count_words_of(const Part& part, const Cell& cell, float* out) {
  for (const std::string& word : words_of(cell_text(cell))) {
    const auto found = part.levels.find(word);
    if (found != part.levels.end()) out[found->second] += 1.0f;
  }
}

// A level goes by its text, or else by its spelling: 1 and 1.0 are one, and so are yes and YES, and
// 1 and true where no level is 1.
void RowEncoder::encode_level(Part& part, const Cell& cell, float* out) {
  const std::string text = cell_text(cell);
  auto found = part.levels.find(text);
  if (found == part.levels.end()) found = part.levels.find(label_key(text));
  if (found != part.levels.end()) {
    out[found->second] = 1.0f;
    return;
  }
  if (part.column->other) out[part.column->levels.size()] = 1.0f;
  if (part.new_levels++ == 0) part.example = text;
}

// Sets the number or the day of a field; leaves the value alone where there is none.
bool RowEncoder::read_number(Part& part, const Cell& cell, const CellRows& rows,
                             double& value) const {
  const TableColumn& column = *part.column;
  double read = cell.number;
  bool is_number = cell.is_number;
  if (column.kind == ColumnKind::kDate) {
    is_number = !is_number && (parse_date(cell.text, column.order, read) ||
                               parse_date(cell.text, DateOrder::kYear, read));
  } else if (is_number) {
    is_number = !needs_unit(column.style.unit);
  } else {
    is_number = read_text(part, cell.text, rows, read);
  }
  if (!is_number || !std::isfinite(static_cast<float>(read))) return false;
  value = read;
  return true;
}

// New rows may write numbers in another way; but not so that some of them have two meanings.
bool RowEncoder::read_text(Part& part, std::string_view text, const CellRows& rows,
                           double& value) const {
  const NumberStyle& style = part.column->style;
  const bool fits = parse_number(text, style, value);
  if (options_.fitting || (fits && is_plain(style))) return fits;
  double other = 0;
  const NumberStyle with_point{false, 0, style.unit}, with_comma{true, 0, style.unit};
  const bool fits_other = parse_number(text, with_point, other) ||
                          (!options_.comma_separates && parse_number(text, with_comma, other));
  if (!fits_other || (fits && other == value)) return fits;
  Number& first = fits ? part.both_ways : part.other_way;
  if (first.text.empty()) first = {std::string(text), rows.place(), value, other};
  if (!part.both_ways.text.empty() && !part.other_way.text.empty()) refuse_two_signs(part);
  if (!fits) value = other;
  return true;
}

void RowEncoder::refuse_two_signs(const Part& part) const {
  const Number& number = part.both_ways;
  const auto shown = [](double value) { return cell_text({.number = value, .is_number = true}); };
  const std::string where = number.place.line > 0 ? "line " + std::to_string(number.place.line)
                                                  : number.place.file.string();
  fail(ErrorKind::kData, part.other_way.place,
       {"column " + quote(part.column->name) + ": two decimal signs", part.other_way.text,
        "the sign of the fitted rows, as in " + quote(number.text) + " of " + where +
            ", which is " + shown(number.as_fitted) + " and not " + shown(number.otherwise),
        "write all numbers alike, as " + number_text(part.column->style)});
}

void RowEncoder::gap_without_median(const Part& part, const Cell& cell, const Place& place) const {
  fail(ErrorKind::kData, place,
       {"column " + quote(part.column->name) + ": missing value", cell_text(cell),
        "a number in every row, as the model was not fitted on a table",
        "fill in the value or remove the row"});
}

// How a column can be read in another way, in the words of the program or of Python.
std::string RowEncoder::other_ways(const std::string& name, const std::string& text,
                                   const CellRows& rows) const {
  if (!options_.fitting) return "";
  const bool is_word = text.find_first_of("0123456789") == std::string::npos;
  const std::string gap =
      rows.are_of_file() ? "use --missing " + quote(text) : "put None in its place";
  return (is_word ? "; if it means a gap " + gap : "") + "; if the column holds categories " +
         (rows.are_of_file() ? "use --categorical " + name : "give it the dtype category");
}

void RowEncoder::bad_number(const Part& part, const std::string& text, const CellRows& rows) const {
  const std::string& name = part.column->name;
  const NumberStyle& style = part.column->style;
  const std::string where = "column " + quote(name) + ": ";
  double value = 0;
  if (part.column->kind == ColumnKind::kDate) {
    fail(ErrorKind::kData, rows.place(),
         {where + "not a date", text,
          "a date such as " + date_example(part.column->order) + " in every row, or a gap",
          "correct the value or remove the row" + other_ways(name, text, rows)});
  }
  if (parse_number(text, value) && !std::isfinite(static_cast<float>(value))) {
    const bool is_name = text.find_first_not_of("0123456789") == std::string::npos;
    const bool may_drop = is_name && options_.fitting && rows.are_of_file();
    fail(ErrorKind::kData, rows.place(),
         {where + "not a finite number", text, "a number that fits into float32",
          "replace the value, or leave it empty" + (is_name ? other_ways(name, text, rows) : "") +
              (may_drop ? "; --drop " + name + " leaves it out" : "")});
  }
  std::string repair = "correct the value, or leave it empty" + other_ways(name, text, rows);
  StyleFinder own;
  own.add(text);
  const std::string unit = own.best({}).unit;
  if (own.numbers() > 0 && (unit.empty() || same_unit(unit, style.unit))) {
    repair = "write all numbers alike, as " + number_text(style);
  }
  const bool lacks_unit = own.numbers() > 0 && unit.empty() && needs_unit(style.unit);
  const bool has_another = !unit.empty() && !style.unit.empty() && !same_unit(unit, style.unit);
  fail(ErrorKind::kData, rows.place(),
       {where + "not a number", text,
        lacks_unit || has_another
            ? (same_unit(style.unit, kClock) ? "a time" : "a number with " + style.unit) + ", as " +
                  (options_.fitting ? "most" : "the fitted") + " rows have it"
            : "a number in every row, or a gap",
        repair});
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
