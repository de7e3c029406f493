// Rows of fields from a text file: CSV, TSV and lists separated by blanks.
#pragma once

#include <glgnn/matrix.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/file.h"
#include "data/line_reader.h"
#include "data/message.h"

namespace glgnn {

struct TextFormat {
  bool comments = false;  // lines that start with # or % are skipped
  bool blanks = false;    // without comma, semicolon or tab, fields are separated by blanks
};

// Reads a file, plain or gzip, row by row and in pieces. The delimiter is a tab for .tsv and .tab;
// else it is the one of comma, semicolon, tab and pipe that the first row has most of (one that the
// second row has as often, if there is any), or the one a first line "sep=;" names. Quotes, quoted
// line ends and every kind of line end are understood; empty lines are skipped.
// Lines that are not UTF-8 are read as Windows-1252.
class TextRows {
 public:
  TextRows(const std::filesystem::path& path, TextFormat format = {});
  ~TextRows();
  TextRows(const TextRows&) = delete;
  TextRows& operator=(const TextRows&) = delete;

  // The next row's fields, without blanks around them, in quotes too; false at the end.
  bool next(std::vector<std::string>& fields);

  // Where the row that next() returned begins.
  Place place() const { return {path_, row_line_}; }
  char delimiter() const { return delimiter_; }
  double part_read() const { return lines_.part_read(); }
  // What was done to the text, one sentence each; complete at the end.
  std::vector<std::string> notes() const;

 private:
  struct Parser;  // libcsv's state

  bool is_blank(std::string_view line) const;
  bool take_separator_line(std::string_view ahead);
  int64_t count_title_lines(std::string_view ahead) const;
  using Counts = std::array<int, 4>;
  Counts count_delimiters(std::string_view& ahead) const;
  char sniff(std::string_view ahead) const;
  [[noreturn]] void bad_quotes() const;

  std::filesystem::path path_;
  TextFormat format_;
  LineReader lines_;
  int64_t row_line_ = 0;
  std::string recoded_;   // a line that was not UTF-8
  std::string requoted_;  // a line with quotes
  int64_t recoded_lines_ = 0, title_lines_ = 0;
  std::string row_text_;  // the beginning of the row, for errors
  char delimiter_ = ',';
  std::unique_ptr<Parser> parser_;
};

// Throws, as the fields of a table are not separated by blanks.
[[noreturn]] void refuse_blanks(const std::string& line, const Place& place);

// Whether a file has svmlight rows, by its name.
bool is_svmlight(const std::filesystem::path& path);

// A table of numbers of which parts are read: a line for each row, fields apart by comma, semicolon
// or tab (that which the first line has most of). The first line names the columns, unless it has
// numbers alone that are no names. One column may be text: the labels. Or svmlight rows, which
// become dense.
class TableParts {
 public:
  // `label` names that column; empty: there is none. kUsage where no column has this name. Of
  // svmlight rows any name gives the labels.
  TableParts(const std::filesystem::path& path, const std::string& label);

  int64_t cols() const { return cols_; }  // of numbers; of svmlight rows once they are set
  int64_t bytes() const { return file_.size() - start_; }  // of all rows
  uint64_t sample_hash() const { return file_.sample_hash(); }

  // The rows that begin in bytes begin .. end - 1; of svmlight rows also the numbers of columns.
  struct Counted {
    int64_t rows = 0, lowest = 1, highest = 0;
  };
  Counted count(int64_t begin, int64_t end) const;
  // What has been counted in the whole file.
  void set_columns(const Counted& all);

  struct Rows {
    Matrix numbers;
    std::vector<std::string> labels;
  };
  // `count` rows that follow `skipped` others, of which the first begins at byte `from` or later.
  // The first row read is number `first` of all, for errors.
  Rows read(int64_t from, int64_t skipped, int64_t count, int64_t first) const;

 private:
  template <class Visit>
  void for_lines(int64_t from, Visit&& visit) const;
  void add(Rows& rows, int64_t at, std::string_view line, int64_t number) const;

  void check_text(const std::string& first) const;
  bool is_blank(std::string_view line) const;
  void add_svmlight(Rows& rows, int64_t at, std::string_view line) const;

  FileParts file_;
  bool svmlight_ = false;
  int64_t cols_ = 0, first_column_ = 0;
  int64_t start_ = 0;  // of the first row
  size_t fields_ = 0;
  int64_t label_ = -1;
  char delimiter_ = ',';
  std::vector<std::string> names_;
};

// A number as people write it in tables ("+1.5e3"; also nan and inf); false if it is not one.
bool parse_number(std::string_view text, double& value);

// A whole number; false if it is not one.
bool parse_integer(std::string_view text, int64_t& value);

}  // namespace glgnn
