#include "data/cells.h"

#include <algorithm>
#include <cmath>

#include "data/table_header.h"
#include "data/text_rows.h"
#include "data/values.h"

namespace glgnn {
namespace {

// Columns without a name and without a value, as spreadsheets leave them, are taken out; but not
// the first one, which may name the rows.
class TextCells : public CellRows {
 public:
  TextCells(const std::filesystem::path& path, const std::vector<std::string>& missing)
      : rows_(path), words_(missing) {
    if (!rows_.next(fields_)) {
      fail(ErrorKind::kData, {path},
           {"empty file", "no line with the names of columns", "rows of text",
            "check that the file was written completely"});
    }
    for (size_t j = 0; j < fields_.size(); ++j) {
      is_named_.push_back(j == 0 || !fields_[j].empty());
      if (is_named_[j]) names_.push_back(fields_[j]);
    }
    check_is_header(names_, place());
    if (names_.size() == 1) check_is_one_column(path);
  }

  const std::vector<std::string>& names() const override { return names_; }

  bool next(std::vector<Cell>& cells) override {
    const auto is_empty = [](const std::string& field) { return field.empty(); };
    do {
      if (!rows_.next(fields_)) return false;
      ++row_;
    } while (std::ranges::all_of(fields_, is_empty) && ++empty_rows_ > 0);
    cells.clear();
    for (size_t j = 0; j < fields_.size(); ++j) {
      const std::string& field = fields_[j];
      if (j < is_named_.size() && is_named_[j]) {
        cells.push_back({.text = field, .is_gap = words_.has(field) || is_missing(field)});
      } else if (!field.empty()) {
        refuse_unnamed(j);
      } else {
        too_long_ += j >= is_named_.size();
      }
    }
    if (cells.size() != names_.size()) check_row_length(fields_.size(), is_named_.size(), place());
    return true;
  }

  Place place() const override { return rows_.place(); }
  int64_t row() const override { return row_; }
  std::vector<std::string> unseen_words() const override { return words_.unseen(); }
  double part_read() const override { return rows_.part_read(); }
  bool comma_separates() const override { return rows_.delimiter() == ','; }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes = rows_.notes();
    const auto unnamed = static_cast<int64_t>(is_named_.size() - names_.size());
    if (unnamed > 0) {
      notes.push_back(counted(unnamed, "column") + " without a name and without values " +
                      (unnamed == 1 ? "is" : "are") + " left out");
    }
    if (empty_rows_ > 0) {
      notes.push_back(counted(empty_rows_, "row") +
                      " without any value left out; the others keep their numbers");
    }
    if (too_long_ > 0) {
      notes.push_back(counted(too_long_, "empty field") +
                      " behind the last column of the header left out");
    }
    return notes;
  }

 private:
  [[noreturn]] void refuse_unnamed(size_t column) const {
    if (column >= is_named_.size()) check_row_length(fields_.size(), is_named_.size(), place());
    fail(ErrorKind::kData, place(),
         {"column " + std::to_string(column + 1) + " has no name", fields_[column],
          "a name for each column that has values",
          "name the column in the first line or remove it"});
  }

  // A single name may be a title above the header, or a line whose fields blanks separate.
  void check_is_one_column(const std::filesystem::path& path) const {
    TextRows again(path);
    std::vector<std::string> fields;
    if (!again.next(fields) || !again.next(fields)) return;
    const auto has_value = [](const std::string& field) { return !field.empty(); };
    if (std::ranges::count_if(fields, has_value) > 1) {
      fail(ErrorKind::kData, place(),
           {"the first line does not name the columns", names_[0], "a name for each column",
            "take out the lines above the names, or let them begin with #"});
    }
    const std::string_view row = fields[0], last = row.substr(row.find_last_of(' ') + 1);
    double ignored = 0;
    const bool has_number =
        parse_number(row.substr(0, row.find(' ')), ignored) || parse_number(last, ignored);
    if (names_[0].find(' ') != std::string::npos && row != last && has_number) {
      refuse_blanks(names_[0], place());
    }
  }

  TextRows rows_;
  GapWords words_;
  std::vector<std::string> names_, fields_;
  std::vector<bool> is_named_;  // of the columns of the file
  int64_t row_ = -1, too_long_ = 0, empty_rows_ = 0;
};

class FrameCells : public CellRows {
 public:
  FrameCells(const Frame& frame, const std::vector<std::string>& missing)
      : frame_(frame), words_(missing) {
    for (const FrameColumn& column : frame.columns) {
      names_.emplace_back(trimmed(column.name));  // as in a file
    }
  }

  const std::vector<std::string>& names() const override { return names_; }

  bool next(std::vector<Cell>& cells) override {
    if (next_ == frame_.rows) return false;
    cells.clear();
    for (const FrameColumn& column : frame_.columns) {
      if (column.is_text) {
        const std::string_view text = trimmed(column.texts[static_cast<size_t>(next_)]);
        cells.push_back({.text = text, .is_gap = words_.has(text) || is_missing(text)});
      } else {
        const double number = column.numbers[static_cast<size_t>(next_)];
        cells.push_back({.number = number,
                         .is_number = true,
                         .is_gap = std::isnan(number) || words_.has(number)});
      }
    }
    ++next_;
    return true;
  }

  // Rows are counted from 0, as in Python.
  Place place() const override {
    return {next_ == 0 ? "X" : "X, row " + std::to_string(next_ - 1)};
  }
  int64_t row() const override { return next_ - 1; }
  std::vector<std::string> unseen_words() const override { return words_.unseen(); }
  double part_read() const override {
    return static_cast<double>(next_) / static_cast<double>(std::max<int64_t>(1, frame_.rows));
  }
  bool comma_separates() const override { return true; }
  bool are_of_file() const override { return false; }

 private:
  const Frame& frame_;
  GapWords words_;
  std::vector<std::string> names_;
  int64_t next_ = 0;
};

}  // namespace

std::unique_ptr<CellRows> open_text_cells(const std::filesystem::path& path,
                                          const std::vector<std::string>& missing) {
  return std::make_unique<TextCells>(path, missing);
}

std::unique_ptr<CellRows> open_frame_cells(const Frame& frame,
                                           const std::vector<std::string>& missing) {
  return std::make_unique<FrameCells>(frame, missing);
}

}  // namespace glgnn
