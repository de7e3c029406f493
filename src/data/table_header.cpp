#include "data/table_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "data/dates.h"
#include "data/number_style.h"
#include "data/text_rows.h"
#include "data/values.h"

namespace glgnn {
namespace {

void add_wishes(TableHeader& header, const std::vector<std::string>& columns,
                const std::string& option, ColumnWish wish, const Place& place) {
  for (const std::string& name : columns) {
    const int64_t j = find_column(header.names, name, option, place);
    const bool is_label = j == header.label && wish == ColumnWish::kCategorical;  // it is one
    if ((!header.is_feature(static_cast<size_t>(j)) && !is_label) ||
        header.wishes[j] != ColumnWish::kNone) {
      fail(ErrorKind::kUsage, place,
           {"one column for two uses", name, "one option for each column",
            "take it out of --" + option + " or of the other option"});
    }
    header.wishes[j] = wish;
  }
}

}  // namespace

int64_t find_column(const std::vector<std::string>& names, const std::string& name,
                    const std::string& option, const Place& place) {
  for (size_t j = 0; j < names.size(); ++j) {
    if (names[j] == name) return static_cast<int64_t>(j);
  }
  if (names.size() == 1) {
    fail(ErrorKind::kData, place,
         {"a single column", names[0],
          "names of columns with commas, semicolons, tabs or pipes between them",
          "write the table with one of them"});
  }
  fail(ErrorKind::kUsage, place,
       {"no such " + option + " column", name, "a column of the header",
        "use --" + option + " with one of its names; the nearest are " +
            listed(nearest_names(name, names))});
}

void refuse_no_rows(const Place& place) {
  fail(ErrorKind::kData, place,
       {"a header and no rows", "0 rows", "a line for each row below the header",
        "check that the file was written completely"});
}

namespace {

std::string first_number(const std::vector<std::string>& names) {
  double value = 0;
  for (const std::string& name : names) {
    if (parse_number(name, value) && std::isfinite(value)) return name;
  }
  return "";
}

}  // namespace

// Numbers may be names where they go one way: years, places (0, 1, 2, … as pandas writes them),
// wavelengths.
bool is_header(const std::vector<std::string>& names) {
  constexpr size_t kScale = 8;  // so many numbers that go one way are no chance
  std::vector<double> numbers;
  bool are_whole = true, count_up = true;
  for (const std::string& name : names) {
    double value = 0;
    int64_t whole = 0;
    if (!parse_number(name, value) || !std::isfinite(value)) continue;
    count_up = count_up && name == std::to_string(numbers.size());
    numbers.push_back(value);
    are_whole = are_whole && parse_integer(name, whole) && whole >= 0;
  }
  if (numbers.empty()) return true;
  const bool go_one_way = std::ranges::is_sorted(numbers, std::ranges::less_equal{}) ||
                          std::ranges::is_sorted(numbers, std::ranges::greater_equal{});
  const bool beside_words = numbers.size() < names.size();
  const bool are_names = numbers.size() >= kScale || (beside_words ? are_whole : count_up);
  return go_one_way && are_names && names.size() > 1;
}

void check_is_header(const std::vector<std::string>& names, const Place& place) {
  if (is_header(names)) return;
  fail(ErrorKind::kData, place,
       {"the header is missing", first_number(names), "the names of the columns in the first line",
        "add a line with a name for each column"});
}

void check_names(const std::vector<std::string>& names, const Place& place) {
  std::unordered_map<std::string, size_t> seen;
  for (size_t j = 0; j < names.size(); ++j) {
    const auto [first, is_new] = seen.emplace(names[j], j);
    if (names[j].empty() && j > 0) {
      fail(ErrorKind::kData, place,
           {"column " + std::to_string(j + 1) + " has no name", "", "a name for each column",
            "name the column in the first line or remove it"});
    }
    if (!is_new) {
      fail(ErrorKind::kData, place,
           {"columns " + std::to_string(first->second + 1) + " and " + std::to_string(j + 1) +
                " have the same name",
            names[j], "different names", "rename one of them in the first line"});
    }
  }
}

void check_row_length(size_t fields, size_t columns, const Place& place) {
  if (fields == columns) return;
  fail(ErrorKind::kData, place,
       {"a row of another length", counted(static_cast<int64_t>(fields), "field"),
        std::to_string(columns) + " as in the header",
        "add what is missing, or put a field that contains the delimiter in quotes"});
}

TableHeader read_header(std::vector<std::string> names, const LoadOptions& options,
                        const Place& place, std::vector<std::string>& notes) {
  TableHeader header;
  if (!options.label.empty()) header.label = find_column(names, options.label, "label", place);
  if (!options.id.empty()) {
    header.id = find_column(names, options.id, "id", place);
  } else if (names[0].empty()) {  // as pandas writes its index
    header.id = 0;
    header.id_is_guess = true;
  }
  if (header.id >= 0 && header.id == header.label) {
    fail(ErrorKind::kUsage, place,
         {"one column for two uses", names[header.id], "different columns for label and id",
          "correct --label or --id"});
  }
  check_names(names, place);
  const size_t others = (header.label >= 0 ? 1 : 0) + (header.id >= 0 ? 1 : 0);
  if (names.size() == others) {
    fail(ErrorKind::kData, place,
         {"no features", listed(names), "at least one column besides label and id",
          "add the columns to learn from"});
  }
  header.names = std::move(names);
  header.wishes.assign(header.names.size(), ColumnWish::kNone);
  add_wishes(header, options.categorical, "categorical", ColumnWish::kCategorical, place);
  add_wishes(header, options.numeric, "numeric", ColumnWish::kNumeric, place);
  add_wishes(header, options.drop, "drop", ColumnWish::kDrop, place);
  if (header.names[0].empty() && header.id != 0) {
    header.wishes[0] = ColumnWish::kDrop;
    notes.push_back("the first column has no name: it is left out");
  }
  return header;
}

namespace {

std::vector<std::string> names_of(const TablePlan& plan, ColumnKind kind) {
  std::vector<std::string> names;
  for (const TableColumn& column : plan.columns) {
    if (column.kind == kind) names.push_back(column.name);
  }
  return names;
}

// "1 column is left out: a" and "2 columns are left out: a, b", with words before and after.
std::string left_out(const std::vector<std::string>& names, const std::string& one,
                     const std::string& many) {
  const auto count = static_cast<int64_t>(names.size());
  return counted(count, "column") + " " + (count == 1 ? one : many) +
         (count == 1 ? " and is left out: " : " and are left out: ") + listed(names);
}

bool is_one_value(const TableColumn& column) { return column.distinct <= 1; }

// Those of one value, or of several that are taken for one.
std::vector<std::string> constant_columns(const TablePlan& plan, bool of_one_value) {
  std::vector<std::string> names;
  for (const TableColumn& column : plan.columns) {
    if (column.kind != ColumnKind::kConstant || is_one_value(column) != of_one_value) continue;
    names.push_back(column.name);
  }
  return names;
}

void note_categories(const TablePlan& plan, std::vector<std::string>& notes) {
  const std::vector<std::string> names = names_of(plan, ColumnKind::kCategorical);
  if (names.empty()) return;
  int64_t features = 0;
  std::vector<std::string> pooled;
  for (const TableColumn& column : plan.columns) {
    if (column.kind != ColumnKind::kCategorical) continue;
    features += std::ssize(column_features(column));
    if (column.other) pooled.push_back(column.name);
  }
  notes.push_back(counted(static_cast<int64_t>(names.size()), "column") + " of categories become" +
                  (names.size() == 1 ? "s " : " ") + counted(features, "feature") + ": " +
                  listed(names) +
                  (pooled.empty() ? "" : "; rare levels are pooled in " + listed(pooled)));
}

// "; seen begins with the day" of columns whose dates do not begin with the year.
std::string date_orders(const TablePlan& plan) {
  std::string text;
  for (const TableColumn& column : plan.columns) {
    if (column.kind != ColumnKind::kDate || column.order == DateOrder::kYear) continue;
    text += "; those of " + column.name + " begin with the " +
            (column.order == DateOrder::kDay ? "day" : "month");
  }
  return text;
}

void note_gaps(const TablePlan& plan, std::vector<std::string>& notes) {
  int64_t gaps = 0;
  std::vector<std::string> names;
  for (const TableColumn& column : plan.columns) {
    if (!column.is_used() || column.missing == 0) continue;
    gaps += column.missing;
    names.push_back(column.name);
  }
  if (names.empty()) return;
  notes.push_back(counted(gaps, "gap") + " in " +
                  counted(static_cast<int64_t>(names.size()), "column") +
                  ", where numbers take the median and a feature says so: " + listed(names));
}

// Separators of thousands and units that are not part of the number.
void note_styles(const TablePlan& plan, std::vector<std::string>& notes) {
  std::vector<std::string> names;
  for (const TableColumn& column : plan.columns) {
    const NumberStyle& style = column.style;
    if (!column.is_used() || (style.grouping == 0 && style.unit.empty())) continue;
    double number = 0;
    parse_number(number_text(style), style, number);
    names.push_back(column.name + " (" + number_text(style) + " is " +
                    cell_text({.number = number, .is_number = true}) + ")");
  }
  if (!names.empty()) {
    notes.push_back("numbers are read without separators of thousands and units: " + listed(names));
  }
}

}  // namespace

void note_columns(const TablePlan& plan, std::vector<std::string>& notes) {
  note_categories(plan, notes);
  const auto dates = names_of(plan, ColumnKind::kDate);
  if (!dates.empty()) {
    notes.push_back("dates become days since 1970-01-01: " + listed(dates) + date_orders(plan));
  }
  note_styles(plan, notes);
  note_gaps(plan, notes);
  const auto ids = names_of(plan, ColumnKind::kIdentifier);
  if (!ids.empty()) {
    notes.push_back(left_out(ids, "has a value of its own in every row",
                             "have a value of their own in every row") +
                    "; --id names the rows by one, and --numeric keeps one that measures");
  }
  const auto texts = names_of(plan, ColumnKind::kText);
  if (std::ranges::any_of(plan.columns, &TableColumn::has_words)) {
    notes.push_back("texts are read by their words: " + listed(texts));
  } else if (!texts.empty()) {
    notes.push_back(
        left_out(texts, "holds free or hardly shared text", "hold free or hardly shared text") +
        "; --categorical would take its values as categories, and a table of texts alone is read "
        "by "
        "its words");
  }
  const auto unclear = names_of(plan, ColumnKind::kUnclearDate);
  if (!unclear.empty()) {
    notes.push_back(left_out(unclear, "holds dates that can be read in several ways",
                             "hold dates that can be read in several ways") +
                    "; 2024-05-17 is always clear");
  }
  const auto empty = names_of(plan, ColumnKind::kEmpty);
  if (!empty.empty()) {
    notes.push_back(left_out(empty, "has no value in any row", "have no value in any row"));
  }
  if (const auto constant = constant_columns(plan, true); !constant.empty()) {
    notes.push_back(
        left_out(constant, "has the same value in every row", "have the same value in every row"));
  }
}

std::string note_of_close_numbers(const TablePlan& plan, bool of_file) {
  const std::vector<std::string> close = constant_columns(plan, false);
  if (close.empty()) return "";
  return left_out(close, "holds numbers too close to be told apart",
                  "hold numbers too close to be told apart") +
         (of_file ? "; --categorical" : "; the dtype category") +
         " would take its values as categories";
}

std::string column_fate(const TableColumn& column) {
  switch (column.kind) {
    case ColumnKind::kNumeric:
    case ColumnKind::kCategorical:
    case ColumnKind::kDate: {
      const auto features = static_cast<int64_t>(column_features(column).size());
      std::string text = counted(features, "feature");
      if (column.kind == ColumnKind::kDate) text += ", days since 1970-01-01";
      if (column.other) text += ", rare levels pooled";
      if (column.indicator)
        text += column.kind == ColumnKind::kCategorical || !column.varies
                    ? ", one for gaps"
                    : ", one for gaps, which take the median";
      return text;
    }
    case ColumnKind::kLabel:
      return "the classes";
    case ColumnKind::kRowId:
      return "names the rows";
    case ColumnKind::kIdentifier:
      return "left out: a value of its own in every row";
    case ColumnKind::kText:
      if (column.has_words())
        return counted(std::ssize(column.levels), "word") + " that two rows or more have";
      return "left out: free or hardly shared text";
    case ColumnKind::kUnclearDate:
      return "left out: can be read in several ways";
    case ColumnKind::kConstant:
      return is_one_value(column) ? "left out: the same in every row"
                                  : "left out: numbers too close to be told apart";
    case ColumnKind::kEmpty:
      return "left out: no value in any row";
    case ColumnKind::kDropped:
      return column.name.empty() ? "left out: without a name" : "left out by --drop";
  }
  return "";
}

std::string short_number(double value) {
  constexpr double kFourDigits = 1e4, kSevenDigits = 1e7;  // as many as float32 has
  const double size = std::abs(value);
  return size >= kFourDigits && size < kSevenDigits ? fmt::format("{:.0f}", value)
                                                    : fmt::format("{:.4g}", value);
}

double kept_number(const TableColumn& column, double value) {
  const double range = column.highest - column.lowest;
  if (column.offset == 0 || !(range > 0)) return value;
  constexpr double kDigits = 6, kMost = 15;
  const double parts = std::pow(10, std::clamp(kDigits - std::ceil(std::log10(range)), 0.0, kMost));
  return std::round(value * parts) / parts;
}

std::string value_text(const TableColumn& column, double value) {
  constexpr double kShort = 10;  // days of which float32 keeps the seconds
  if (column.kind == ColumnKind::kDate) {
    return date_text(value, column.offset != 0 && column.highest - column.lowest < kShort);
  }
  const std::string clock = clock_text(value, column.style.unit);
  if (!clock.empty()) return clock;
  if (column.offset == 0) return short_number(value);
  return fmt::format("{}", kept_number(column, value));
}

void check_has_features(const TablePlan& plan, const Place& place) {
  if (!plan.feature_names.empty()) return;
  const auto is_other = [](const TableColumn& column) {
    return column.kind != ColumnKind::kLabel && column.kind != ColumnKind::kRowId &&
           !(column.kind == ColumnKind::kConstant && is_one_value(column));
  };
  if (std::none_of(plan.columns.begin(), plan.columns.end(), is_other)) {
    fail(ErrorKind::kData, place,
         {"no features", "only columns with the same value in every row",
          "a column that tells rows apart", "add the columns to learn from"});
  }
  std::vector<std::string> found;
  for (const TableColumn& column : plan.columns) {
    if (column.kind == ColumnKind::kLabel || column.kind == ColumnKind::kRowId) continue;
    found.push_back(column.name + " (" + column_kind_name(column.kind) + ")");
  }
  fail(ErrorKind::kData, place,
       {"no features", listed(found), "a column of numbers, dates or categories",
        "add one, or say what a column holds (--categorical or --numeric, in Python its dtype)"});
}

}  // namespace glgnn
