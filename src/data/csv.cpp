// Tables with a header: CSV and TSV. Read three times at most: what the columns hold, the levels of
// the text columns, the values; so the text is never held as a whole.
#include <glgnn/table.h>

#include <algorithm>
#include <unordered_map>

#include "data/column_profile.h"
#include "data/features.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/row_encoder.h"
#include "data/table_header.h"
#include "data/table_notes.h"
#include "data/text_rows.h"
#include "data/values.h"

namespace glgnn {
namespace {

// The ids of the rows, each different.
class RowIds {
 public:
  void add(const std::string& id, const Place& place) {
    if (id.empty()) {
      fail(ErrorKind::kData, place,
           {"a row without an id", id, "an id in every row", "fill it in or leave --id away"});
    }
    const auto [first, is_new] = lines_.emplace(id, place.line);
    if (!is_new) {
      fail(ErrorKind::kData, place,
           {"an id that line " + std::to_string(first->second) + " has too", id,
            "a different id in every row", "correct one of them or leave --id away"});
    }
    ids.push_back(id);
  }

  std::vector<std::string> ids;

 private:
  std::unordered_map<std::string, int64_t> lines_;
};

// Reads the rows below the header, up to three times.
class Readings {
 public:
  Readings(const std::filesystem::path& path, size_t columns,
           const std::function<void(double)>& on_progress)
      : path_(path), columns_(columns), on_progress_(on_progress) {}

  static constexpr double kFirst = 0, kSecond = 1, kThird = 2;

  template <class Visit>
  int64_t for_each_row(double which, const Visit& visit) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path& path_;
  size_t columns_;
  const std::function<void(double)>& on_progress_;
};

template <class Visit>
int64_t Readings::for_each_row(double which, const Visit& visit) const {
  constexpr int64_t kRowsBetweenReports = 4096;
  TextRows rows(path_);
  std::vector<std::string> fields;
  rows.next(fields);
  int64_t count = 0;
  while (rows.next(fields)) {
    check_row_length(fields.size(), columns_, rows.place());
    visit(fields, rows.place());
    if (++count % kRowsBetweenReports == 0 && on_progress_) {
      on_progress_((which + rows.part_read()) / 3);
    }
  }
  return count;
}

std::vector<ColumnProfile> profile_columns(const Readings& table, const TableHeader& header,
                                           Dataset& dataset) {
  std::vector<ColumnProfile> profiles;
  for (size_t j = 0; j < header.names.size(); ++j) {
    profiles.emplace_back(header.names[j], header.wishes[j]);
  }
  std::vector<std::string> labels;
  RowIds ids;
  int64_t unlabelled_words = 0;
  const int64_t rows =
      table.for_each_row(Readings::kFirst, [&](const auto& fields, const Place& place) {
        for (size_t j = 0; j < fields.size(); ++j) {
          if (header.is_feature(j)) profiles[j].add(fields[j]);
        }
        if (header.id >= 0) ids.add(fields[header.id], place);
        if (header.label < 0) return;
        const std::string& label = fields[header.label];
        unlabelled_words += is_unlabelled(label) && !label.empty();
        labels.push_back(is_unlabelled(label) ? "" : label);
      });
  if (rows == 0) {
    fail(ErrorKind::kData, {table.path(), 1},
         {"a header and no rows", "0 rows", "a line for each row below the header",
          "check that the file was written completely"});
  }
  if (unlabelled_words > 0) {
    dataset.notes.push_back(counted(unlabelled_words, "label") +
                            " such as NA or ? taken as unknown");
  }
  labels.resize(static_cast<size_t>(rows));
  set_labels(dataset, labels);
  dataset.row_ids = std::move(ids.ids);
  return profiles;
}

void count_levels(const Readings& table, const TableHeader& header,
                  std::vector<ColumnProfile>& profiles) {
  std::vector<size_t> texts;
  for (size_t j = 0; j < profiles.size(); ++j) {
    if (header.is_feature(j) && profiles[j].needs_levels()) texts.push_back(j);
  }
  if (texts.empty()) return;
  table.for_each_row(Readings::kSecond, [&](const auto& fields, const Place&) {
    for (const size_t j : texts) profiles[j].add_level(fields[j]);
  });
}

TablePlan make_plan(const TableHeader& header, std::vector<ColumnProfile>& profiles,
                    bool comma_separates, const Dataset& dataset) {
  TablePlan plan;
  for (size_t j = 0; j < profiles.size(); ++j) {
    TableColumn column;
    if (header.is_feature(j)) {
      column = profiles[j].column(comma_separates);
    } else {
      const bool is_label = static_cast<int64_t>(j) == header.label;
      column.name = header.names[j];
      column.kind = is_label ? ColumnKind::kLabel : ColumnKind::kRowId;
      column.distinct = is_label ? dataset.classes() : static_cast<int64_t>(dataset.row_ids.size());
      if (is_label) column.missing = std::count(dataset.labels.begin(), dataset.labels.end(), -1);
    }
    for (std::string& name : column_features(column)) plan.feature_names.push_back(std::move(name));
    plan.columns.push_back(std::move(column));
  }
  return plan;
}

Matrix encode_rows(const Readings& table, const TablePlan& plan, int64_t rows,
                   bool comma_separates) {
  std::vector<int64_t> positions(plan.columns.size());
  for (size_t j = 0; j < positions.size(); ++j) positions[j] = static_cast<int64_t>(j);
  RowEncoder encoder(plan, positions, {.fitting = true, .comma_separates = comma_separates});
  Matrix values(rows, encoder.features());
  int64_t row = 0;
  table.for_each_row(Readings::kThird, [&](const auto& fields, const Place& place) {
    if (row < rows) encoder.encode(fields, place, values[row]);
    ++row;
  });
  if (row != rows) {
    fail(ErrorKind::kIo, {table.path()},
         {"the file changed while it was read", counted(row, "row"), counted(rows, "row"),
          "wait until it is written, and run again"});
  }
  return values;
}

}  // namespace

Dataset read_table(const std::filesystem::path& path, const LoadOptions& options) {
  Dataset dataset;
  dataset.name = content_name(path);
  TextRows first(path);
  std::vector<std::string> names;
  first.next(names);
  const TableHeader header = read_header(std::move(names), options, first.place(), dataset.notes);
  const bool comma_separates = first.delimiter() == ',';
  const Readings table(path, header.names.size(), options.on_progress);
  std::vector<ColumnProfile> profiles = profile_columns(table, header, dataset);
  count_levels(table, header, profiles);
  dataset.plan = make_plan(header, profiles, comma_separates, dataset);
  profiles.clear();
  note_columns(dataset.plan, dataset.notes);
  dataset.features.dense = encode_rows(
      table, dataset.plan, static_cast<int64_t>(dataset.labels.size()), comma_separates);
  dataset.feature_names = dataset.plan.feature_names;
  check_has_features(dataset.plan, {path});
  check_repeated_columns(dataset);
  if (!options.label.empty()) check_labels(dataset, {path}, options.label);
  return dataset;
}

}  // namespace glgnn
