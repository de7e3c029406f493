#include "data/table_notes.h"

#include <algorithm>

#include "data/number_style.h"

namespace glgnn {
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

void note_categories(const TablePlan& plan, std::vector<std::string>& notes) {
  const std::vector<std::string> names = names_of(plan, ColumnKind::kCategorical);
  if (names.empty()) return;
  int64_t features = 0;
  std::vector<std::string> pooled;
  for (const TableColumn& column : plan.columns) {
    if (column.kind != ColumnKind::kCategorical) continue;
    features += static_cast<int64_t>(column.levels.size()) + column.other;
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
    names.push_back(column.name + " (" + number_text(style) + " is 1234.5)");
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
                    "; --id names the rows by one");
  }
  const auto texts = names_of(plan, ColumnKind::kText);
  if (!texts.empty()) {
    notes.push_back(
        left_out(texts, "holds free or hardly shared text", "hold free or hardly shared text") +
        "; --categorical would take its values as categories");
  }
  const auto unclear = names_of(plan, ColumnKind::kUnclearDate);
  if (!unclear.empty()) {
    notes.push_back(left_out(unclear, "holds dates whose day and month cannot be told apart",
                             "hold dates whose day and month cannot be told apart") +
                    "; 2024-05-17 is always clear");
  }
  const auto empty = names_of(plan, ColumnKind::kEmpty);
  if (!empty.empty()) {
    notes.push_back(left_out(empty, "has no value in any row", "have no value in any row"));
  }
  const auto constant = names_of(plan, ColumnKind::kConstant);
  if (!constant.empty()) {
    notes.push_back(
        left_out(constant, "has the same value in every row", "have the same value in every row"));
  }
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
      return "left out: free or hardly shared text";
    case ColumnKind::kUnclearDate:
      return "left out: day and month cannot be told apart";
    case ColumnKind::kConstant:
      return "left out: the same in every row";
    case ColumnKind::kEmpty:
      return "left out: no value in any row";
    case ColumnKind::kDropped:
      return "left out by --drop";
  }
  return "";
}

void check_has_features(const TablePlan& plan, const Place& place) {
  if (!plan.feature_names.empty()) return;
  const auto is_other = [](const TableColumn& column) {
    return column.kind != ColumnKind::kLabel && column.kind != ColumnKind::kRowId &&
           column.kind != ColumnKind::kConstant;
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
        "add one, or name a column to use with --categorical or --numeric"});
}

}  // namespace glgnn
