// Tables: CSV and TSV files, and tables in memory. Read three times at most: what the columns hold,
// the levels of the text columns, the values; so the text is never held as a whole.
#include <glgnn/table.h>

#include <algorithm>
#include <unordered_map>

#include "data/cells.h"
#include "data/column_profile.h"
#include "data/features.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/line_reader.h"
#include "data/message.h"
#include "data/row_encoder.h"
#include "data/table_header.h"
#include "data/values.h"

namespace glgnn {
namespace {

// The ids of the rows, each different. A column that is a guess may hold anything.
class RowIds {
 public:
  explicit RowIds(bool is_guess) : is_guess_(is_guess) {}

  void add(const std::string& id, const CellRows& rows) {
    has_values_ = has_values_ || !id.empty();
    if (!name_rows_) return;
    if (is_guess_ && (id.empty() || lines_.contains(id))) {
      name_rows_ = false;
      return;
    }
    if (id.empty()) {
      fail(ErrorKind::kData, rows.place(),
           {"a row without an id", id, "an id in every row", "fill it in or leave --id away"});
    }
    const auto [first, is_new] = lines_.emplace(id, rows.place().line);
    if (!is_new) {
      fail(ErrorKind::kData, rows.place(),
           {"an id that line " + std::to_string(first->second) + " has too", id,
            "a different id in every row", "correct one of them or leave --id away"});
    }
    ids_.push_back(id);
  }

  bool name_rows() const { return name_rows_; }
  std::string note() const {
    return "the first column has no name" +
           std::string(name_rows_    ? ": it is taken as the id of the rows"
                       : has_values_ ? " and does not name each row once: it is left out"
                                     : " and no values: it is left out");
  }
  std::vector<std::string> take() { return std::move(ids_); }

 private:
  bool is_guess_, name_rows_ = true, has_values_ = false;
  std::vector<std::string> ids_;
  std::unordered_map<std::string, int64_t> lines_;
};

// The numbers that the rows have in their file, where some before them were left out.
std::vector<std::string> numbers_in_file(const std::vector<int64_t>& rows) {
  std::vector<std::string> ids;
  if (rows.back() == std::ssize(rows) - 1) return ids;
  for (const int64_t row : rows) ids.push_back(std::to_string(row));
  return ids;
}

// Opens the table anew for each reading.
struct TableInput {
  std::string name;
  std::function<std::unique_ptr<CellRows>()> open;
  const std::function<void(double)>& on_progress;

  static constexpr double kFirst = 0, kSecond = 1, kThird = 2;

  // Visits every row; gives what was done to the text.
  template <class Visit>
  std::vector<std::string> for_each_row(double which, const Visit& visit) const;
};

template <class Visit>
std::vector<std::string> TableInput::for_each_row(double which, const Visit& visit) const {
  constexpr int64_t kRowsBetweenReports = 4096;
  const std::unique_ptr<CellRows> rows = open();
  std::vector<Cell> cells;
  int64_t count = 0;
  while (rows->next(cells)) {
    visit(cells, *rows);
    if (++count % kRowsBetweenReports == 0 && on_progress) {
      on_progress((which + rows->part_read()) / 3);
    }
  }
  if (count == 0) refuse_no_rows(rows->place());
  std::vector<std::string> notes = rows->notes();
  if (const auto words = rows->unseen_words(); !words.empty()) {
    notes.push_back("no field of the table is what --missing names: " + listed(words));
  }
  return notes;
}

std::vector<ColumnProfile> profile_columns(const TableInput& table, TableHeader& header,
                                           const LoadOptions& options, Dataset& dataset) {
  const bool minus_is_gap = std::ranges::find(options.missing, "-") != options.missing.end();
  std::vector<ColumnProfile> profiles;
  for (size_t j = 0; j < header.names.size(); ++j) {
    profiles.emplace_back(header.names[j], header.wishes[j], minus_is_gap);
  }
  std::vector<std::string> labels;
  std::vector<int64_t> numbers;
  RowIds ids(header.id_is_guess);
  table.for_each_row(TableInput::kFirst, [&](const auto& cells, const CellRows& rows) {
    for (size_t j = 0; j < cells.size(); ++j) {
      if (header.is_feature(j)) profiles[j].add(cells[j]);
    }
    if (header.id >= 0) ids.add(cell_text(cells[header.id]), rows);
    labels.push_back(header.label >= 0 ? cell_text(cells[header.label]) : "");
    numbers.push_back(rows.row());
  });
  if (header.id_is_guess) dataset.notes.push_back(ids.note());
  if (!ids.name_rows()) {
    header.id = -1;
    profiles[0] = ColumnProfile("", ColumnWish::kDrop, minus_is_gap);
  }
  set_labels(dataset, labels, options.missing);
  dataset.row_ids = header.id >= 0 ? ids.take() : numbers_in_file(numbers);
  return profiles;
}

// What "1,234" means, which in a file of commas was in quotes, and "1.234". Decimals in other
// columns tell it.
SignUses sign_uses(const std::vector<ColumnProfile>& profiles, bool comma_separates) {
  const auto shows = [](bool (StyleFinder::*sign)() const) {
    return [sign](const ColumnProfile& profile) { return (profile.styles().*sign)(); };
  };
  const bool has_commas = std::ranges::any_of(profiles, shows(&StyleFinder::shows_comma));
  const bool has_points = std::ranges::any_of(profiles, shows(&StyleFinder::shows_point));
  const bool numbers_have_commas = std::ranges::any_of(profiles, [](const ColumnProfile& profile) {
    return profile.is_numeric() && profile.styles().shows_comma();
  });
  if (numbers_have_commas && !has_points) return {SignUse::kDecimals, SignUse::kThousands};
  SignUses signs;
  if (comma_separates || (has_points && !has_commas)) {
    signs.comma = SignUse::kThousands;
  } else if (has_commas) {
    signs.comma = SignUse::kDecimals;
  }
  if (has_points) signs.point = SignUse::kDecimals;
  return signs;
}

void read_again(const TableInput& table, const TableHeader& header, bool comma_separates,
                std::vector<ColumnProfile>& profiles) {
  const SignUses signs = sign_uses(profiles, comma_separates);
  std::vector<size_t> again;
  for (size_t j = 0; j < profiles.size(); ++j) {
    if (header.is_feature(j) && profiles[j].needs_second_reading(signs)) {
      again.push_back(j);
    }
  }
  if (again.empty()) return;
  table.for_each_row(TableInput::kSecond, [&](const auto& cells, const CellRows&) {
    for (const size_t j : again) profiles[j].add_again(cells[j]);
  });
  for (const size_t j : again) profiles[j].join_levels();
}

// A column that counts the rows is left out beside others; alone it is what there is to learn from.
void keep_lone_counter(TablePlan& plan) {
  if (!plan.feature_names.empty()) return;
  for (TableColumn& column : plan.columns) {
    const bool is_number = column.lowest < column.highest;
    if (column.kind != ColumnKind::kIdentifier || !is_number || is_id_name(column.name)) continue;
    column.kind = ColumnKind::kNumeric;
    plan.feature_names = column_features(column);
    return;
  }
}

constexpr int64_t kMostWords = 4000;  // of a table
constexpr int64_t kRowsOfAWord = 2;   // a word of one row joins it to no other

// Texts are left out beside other columns; alone their words are what there is to learn from: those
// that two rows have, the most common ones.
void read_lone_texts(TablePlan& plan, const std::vector<ColumnProfile>& profiles) {
  if (!plan.feature_names.empty()) return;
  const int64_t texts = std::ranges::count(plan.columns, ColumnKind::kText, &TableColumn::kind);
  for (size_t j = 0; j < plan.columns.size(); ++j) {
    TableColumn& column = plan.columns[j];
    if (column.kind != ColumnKind::kText) continue;
    std::map<std::string, int64_t> rows = profiles[j].words();
    std::erase_if(rows, [](const auto& word) { return word.second < kRowsOfAWord; });
    std::vector<std::pair<int64_t, std::string>> order;
    for (const auto& [word, count] : rows) order.emplace_back(-count, word);
    std::ranges::sort(order);
    for (size_t w = kMostWords / texts; w < order.size(); ++w) rows.erase(order[w].second);
    for (const auto& [word, count] : rows) {
      column.levels.push_back(word);
      column.level_counts.push_back(count);
    }
    for (std::string& name : column_features(column)) plan.feature_names.push_back(std::move(name));
  }
}

TablePlan make_plan(const TableHeader& header, const std::vector<ColumnProfile>& profiles,
                    const Dataset& dataset) {
  TablePlan plan;
  for (size_t j = 0; j < profiles.size(); ++j) {
    TableColumn column;
    if (header.is_feature(j)) {
      column = profiles[j].column();
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
  keep_lone_counter(plan);
  read_lone_texts(plan, profiles);
  return plan;
}

Features encode_rows(const TableInput& table, const TablePlan& plan, int64_t rows,
                     std::vector<std::string>& notes) {
  std::vector<int64_t> positions(plan.columns.size());
  for (size_t j = 0; j < positions.size(); ++j) positions[j] = static_cast<int64_t>(j);
  RowEncoder encoder(plan, positions, {.fitting = true});
  const bool has_words = std::ranges::any_of(plan.columns, &TableColumn::has_words);
  if (!has_words) check_cells(rows, encoder.features(), {table.name});
  Matrix values(has_words ? 1 : rows, encoder.features());
  SparseBuilder words(encoder.features());
  int64_t row = 0;
  notes = table.for_each_row(TableInput::kThird, [&](const auto& cells, const CellRows& place) {
    if (row < rows) encoder.encode(cells, place, values[has_words ? 0 : row]);
    if (has_words) words.add_and_clear(values.view());
    ++row;
  });
  if (row != rows) {
    fail(ErrorKind::kIo, {table.name},
         {"the file changed while it was read", counted(row, "row"), counted(rows, "row"),
          "wait until it is written, and run again"});
  }
  if (has_words) return words.take();
  Features features;
  features.dense = std::move(values);
  return features;
}

// Everything but the checks of labels.
Dataset read_input(const TableInput& table, TableHeader& header, const CellRows& first,
                   const LoadOptions& options, std::vector<std::string> notes,
                   std::vector<std::string>& doubts) {
  Dataset dataset;
  dataset.notes = std::move(notes);
  std::vector<ColumnProfile> profiles = profile_columns(table, header, options, dataset);
  read_again(table, header, first.comma_separates(), profiles);
  dataset.plan = make_plan(header, profiles, dataset);
  dataset.plan.missing_words = options.missing;
  note_columns(dataset.plan, dataset.notes);
  doubts = {note_of_close_numbers(dataset.plan, first.are_of_file())};
  for (const ColumnProfile& profile : profiles) doubts.push_back(profile.note(first.are_of_file()));
  std::erase(doubts, "");
  dataset.notes.insert(dataset.notes.end(), doubts.begin(), doubts.end());
  profiles.clear();
  std::vector<std::string> text_notes;
  dataset.features =
      encode_rows(table, dataset.plan, static_cast<int64_t>(dataset.labels.size()), text_notes);
  dataset.notes.insert(dataset.notes.begin(), text_notes.begin(), text_notes.end());
  dataset.feature_names = dataset.plan.feature_names;
  check_has_features(dataset.plan, {table.name});
  if (!dataset.features.is_sparse) check_repeated_columns(dataset);
  return dataset;
}

}  // namespace

Dataset read_table(const std::filesystem::path& path, const LoadOptions& options) {
  const TableInput table{path.string(), [&] { return open_text_cells(path, options.missing); },
                         options.on_progress};
  const std::unique_ptr<CellRows> first = table.open();
  std::vector<std::string> notes, doubts;
  TableHeader header = read_header(first->names(), options, first->place(), notes);
  Dataset dataset = read_input(table, header, *first, options, std::move(notes), doubts);
  dataset.name = content_name(path);
  if (header.label >= 0) {
    const bool are_classes = header.wishes[header.label] == ColumnWish::kCategorical;
    check_labels(dataset, {path}, options.label, are_classes);
  }
  return dataset;
}

Dataset read_frame(const Frame& frame, const LoadOptions& options,
                   std::vector<std::string>& doubts) {
  const TableInput table{"X", [&] { return open_frame_cells(frame, options.missing); },
                         options.on_progress};
  const std::unique_ptr<CellRows> first = table.open();
  std::vector<std::string> notes;
  TableHeader header = read_header(first->names(), options, first->place(), notes);
  for (size_t j = 0; j < header.wishes.size(); ++j) {
    if (header.wishes[j] == ColumnWish::kNone) header.wishes[j] = frame.columns[j].wish;
  }
  return read_input(table, header, *first, options, std::move(notes), doubts);
}

}  // namespace glgnn
