// How the columns of a file become features: found once, on the data of fit(), kept in the model,
// and applied alike to rows that come later.
#pragma once

#include <glgnn/config.h>

#include <cstdint>
#include <string>
#include <vector>

namespace glgnn {

enum class ColumnKind {
  kNumeric,      // one feature; gaps take the median
  kCategorical,  // a feature of 0 and 1 for each level
  kDate,         // dates: one feature, days since 1970-01-01; gaps take the median
  kLabel,        // the classes
  kRowId,        // names the rows
  kIdentifier,   // left out: a value of its own in every row
  kText,         // prose, or nearly as many texts as rows; left out, or a feature for each word
  kUnclearDate,  // left out: dates that can be read in several ways
  kConstant,     // left out: the same value in every row
  kEmpty,        // left out: no value in any row
  kDropped,      // left out: the user says so
};

// The word for a kind: "numeric", "categorical", ...
std::string column_kind_name(ColumnKind kind);

// How the numbers of a column are written: 1234.5, or "1.234,5 EUR".
struct NumberStyle {
  bool decimal_comma = false;  // 1,5
  char grouping = 0;           // between thousands: one of , . ' and a blank; 0: nothing
  std::string unit;            // before or behind each number: "$", "%", "kg"
};

// Which part of a date comes first.
enum class DateOrder { kYear, kDay, kMonth };

// One column of a table.
struct TableColumn {
  std::string name;
  ColumnKind kind = ColumnKind::kNumeric;
  bool varies = true;      // its values become features; false where only the gaps tell rows apart
  bool indicator = false;  // one more feature, "NAME is missing"
  NumberStyle style;       // of numbers
  DateOrder order = DateOrder::kYear;  // of dates
  // Sorted; categorical: one feature "NAME=LEVEL" each; text: words, one feature "NAME: WORD" each,
  // how often a row has it.
  std::vector<std::string> levels;
  std::vector<int64_t> level_counts;  // rows of each level
  bool other = false;                 // one more feature, "NAME=(other)": rare and new levels

  // What the rows of fit() held.
  int64_t missing = 0;
  int64_t distinct = 0;
  double lowest = 0, median = 0, highest = 0;  // of numbers and dates

  double offset = 0;  // taken from numbers that float32 could not tell apart without it

  // A text that is read by its words.
  bool has_words() const { return kind == ColumnKind::kText && !levels.empty(); }
  // Whether new rows must have the column.
  bool is_used() const {
    return kind == ColumnKind::kNumeric || kind == ColumnKind::kCategorical ||
           kind == ColumnKind::kDate || has_words();
  }
};

// What a scaling has learned from some rows, so that rows that come later are scaled alike. A
// number x of column j becomes (x - shift[j]) * factor[j], and then the row may be scaled; scalings
// by rows alone learn nothing and leave both empty.
struct FeatureScale {
  Scaling scaling = Scaling::kNone;
  std::vector<float> shift, factor;
};

struct TablePlan {
  std::vector<TableColumn> columns;        // of a table, in the order of its file; empty for arrays
  std::vector<std::string> feature_names;  // what comes out, column by column
  std::vector<std::string> missing_words;  // that mean a gap, beside those that always do
  bool counts_from_zero = false;           // svmlight: the first feature has the number 0, not 1
  FeatureScale scale;                      // applied last; kNone: the features are left as they are
};

// Features of 0 and 1 that one column of a table became: its levels, or that it is missing.
struct IndicatorBlock {
  int64_t first = 0, count = 0;
};

// The blocks of all columns, ascending; every other feature is a number.
std::vector<IndicatorBlock> indicator_blocks(const TablePlan& plan);

// The names of the features that a column becomes, in their order: its number or its levels, then
// "(other)", then "is missing".
std::vector<std::string> column_features(const TableColumn& column);

// The number of the column that each feature comes from; for arrays each is its own.
std::vector<int32_t> feature_columns(const TablePlan& plan);

}  // namespace glgnn
