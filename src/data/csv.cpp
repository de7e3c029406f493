// Tables with a header: CSV and TSV.
#include <cmath>
#include <unordered_map>

#include "data/features.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/text_rows.h"

namespace glgnn {
namespace {

struct Columns {
  std::vector<std::string> names;  // of all columns
  int64_t label = -1;
  int64_t id = -1;
  std::vector<int64_t> features;
};

int64_t find_column(const std::vector<std::string>& names, const std::string& name,
                    const std::string& option, const Place& place) {
  for (size_t j = 0; j < names.size(); ++j) {
    if (names[j] == name) return static_cast<int64_t>(j);
  }
  fail(ErrorKind::kUsage, place,
       {"no such " + option + " column", name, "a column of the header",
        "use --" + option + " with one of its names; the nearest are " +
            listed(nearest_names(name, names))});
}

// A file without a header would silently lose its first row.
void check_is_header(const std::vector<std::string>& names, const Place& place) {
  bool counts_up = true;  // pandas writes 0, 1, 2, … for columns without names
  for (size_t j = 0; j < names.size(); ++j) {
    double ignored = 0;
    if (!parse_number(names[j], ignored)) return;
    counts_up = counts_up && names[j] == std::to_string(j);
  }
  if (counts_up && names.size() > 1) return;
  fail(ErrorKind::kData, place,
       {"the header is missing", names[0], "the names of the columns in the first line",
        "add a line with a name for each column"});
}

void check_names(const std::vector<std::string>& names, int64_t id, const Place& place) {
  std::unordered_map<std::string, size_t> seen;
  for (size_t j = 0; j < names.size(); ++j) {
    const auto [first, is_new] = seen.emplace(names[j], j);
    if (names[j].empty() && static_cast<int64_t>(j) != id) {
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

Columns choose_columns(std::vector<std::string> names, const LoadOptions& options,
                       const Place& place, Dataset& dataset) {
  Columns columns;
  check_is_header(names, place);
  if (!options.label.empty()) columns.label = find_column(names, options.label, "label", place);
  if (!options.id.empty()) {
    columns.id = find_column(names, options.id, "id", place);
  } else if (names[0].empty()) {  // as pandas writes its index; as a feature it would do harm
    columns.id = 0;
    dataset.notes.push_back("the first column has no name: it is taken as the id of the rows");
  }
  if (columns.id >= 0 && columns.id == columns.label) {
    fail(ErrorKind::kUsage, place,
         {"one column for two uses", names[columns.id], "different columns for label and id",
          "correct --label or --id"});
  }
  check_names(names, columns.id, place);
  for (int64_t j = 0; j < static_cast<int64_t>(names.size()); ++j) {
    if (j != columns.label && j != columns.id) columns.features.push_back(j);
  }
  if (columns.features.empty()) {
    fail(ErrorKind::kData, place,
         {"no features", listed(names), "at least one column besides label and id",
          "add the columns to learn from"});
  }
  columns.names = std::move(names);
  return columns;
}

[[noreturn]] void bad_number(const std::string& text, const std::string& column, bool first_row,
                             const Place& place) {
  const std::string where = "column " + quote(column) + ": ";
  double value = 0;
  if (text.empty()) {
    fail(ErrorKind::kData, place,
         {where + "missing value", text, "a number in every row",
          "fill in the value or remove the row"});
  }
  if (parse_number(text, value)) {
    fail(ErrorKind::kData, place,
         {where + "not a finite number", text, "a number that fits into float32",
          "replace the value or remove the row"});
  }
  std::string with_point = text;
  const size_t comma = with_point.find(',');
  if (comma != std::string::npos) with_point[comma] = '.';
  std::string repair = "correct the value or remove the row";
  if (comma != std::string::npos && parse_number(with_point, value)) {
    repair = "write numbers with a decimal point: " + with_point;
  } else if (first_row) {
    repair = "if it holds the classes use --label " + column + ", if it names the rows --id " +
             column + ", else remove it or write its categories as columns of 0 and 1";
  }
  fail(ErrorKind::kData, place, {where + "not a number", text, "a number in every row", repair});
}

// Collects the rows of a table, column by use.
class Collector {
 public:
  explicit Collector(Columns columns) : columns_(std::move(columns)) {}

  void add(const std::vector<std::string>& fields, const Place& place) {
    if (fields.size() != columns_.names.size()) {
      fail(ErrorKind::kData, place,
           {"a row of another length", counted(static_cast<int64_t>(fields.size()), "field"),
            std::to_string(columns_.names.size()) + " as in the header",
            "add what is missing, or put a field that contains the delimiter in quotes"});
    }
    if (columns_.label >= 0) labels_.push_back(fields[columns_.label]);
    if (columns_.id >= 0) add_id(fields[columns_.id], place);
    for (const int64_t j : columns_.features) {
      double value = 0;
      const bool is_number = parse_number(fields[j], value);
      if (!is_number || !std::isfinite(static_cast<float>(value))) {
        bad_number(fields[j], columns_.names[j], rows_ == 0, place);
      }
      values_.push_back(static_cast<float>(value));
    }
    ++rows_;
  }

  int64_t rows() const { return rows_; }

  void finish(Dataset& dataset) {
    dataset.features.dense = Matrix(rows_, static_cast<int64_t>(columns_.features.size()));
    std::copy(values_.begin(), values_.end(), dataset.features.dense.data());
    for (const int64_t j : columns_.features) dataset.feature_names.push_back(columns_.names[j]);
    dataset.row_ids = std::move(ids_);
    if (columns_.label >= 0) {
      set_labels(dataset, labels_);
    } else {
      dataset.labels.assign(static_cast<size_t>(rows_), -1);
    }
  }

 private:
  void add_id(const std::string& id, const Place& place) {
    if (id.empty()) {
      fail(ErrorKind::kData, place,
           {"a row without an id", id, "an id in every row", "fill it in or leave --id away"});
    }
    const auto [first, is_new] = id_lines_.emplace(id, place.line);
    if (!is_new) {
      fail(ErrorKind::kData, place,
           {"an id that line " + std::to_string(first->second) + " has too", id,
            "a different id in every row", "correct one of them or leave --id away"});
    }
    ids_.push_back(id);
  }

  Columns columns_;
  int64_t rows_ = 0;
  std::vector<float> values_;
  std::vector<std::string> labels_, ids_;
  std::unordered_map<std::string, int64_t> id_lines_;
};

}  // namespace

Dataset read_table(const std::filesystem::path& path, const LoadOptions& options) {
  Dataset dataset;
  dataset.name = path.stem().string();
  TextRows rows(path);
  std::vector<std::string> fields;
  rows.next(fields);
  Collector collector(choose_columns(fields, options, rows.place(), dataset));
  while (rows.next(fields)) collector.add(fields, rows.place());
  if (collector.rows() == 0) {
    fail(ErrorKind::kData, rows.place(),
         {"a header and no rows", "0 rows", "a line for each row below the header",
          "check that the file was written completely"});
  }
  collector.finish(dataset);
  // Rows to predict must keep the columns they came with: there, one row makes all of them
  // constant.
  if (!options.new_rows) {
    check_constant_columns(dataset, true);
    check_repeated_columns(dataset);
    if (!options.label.empty()) check_labels(dataset, {path}, options.label);
    if (dataset.features.cols() == 0) {
      fail(ErrorKind::kData, {path},
           {"no features", "only columns with the same value in every row",
            "a column that tells rows apart", "add the columns to learn from"});
    }
  }
  return dataset;
}

}  // namespace glgnn
