// Rows of fields from a text file: CSV, TSV and lists separated by blanks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/line_reader.h"
#include "data/message.h"

namespace glgnn {

// Text that is not UTF-8.

bool is_utf8(std::string_view bytes);

// Windows-1252, of which Latin-1 is a part, as UTF-8.
std::string from_windows_1252(std::string_view bytes);

struct TextFormat {
  bool comments = false;  // lines that start with # are skipped
  bool blanks = false;    // without comma, semicolon or tab, fields are separated by blanks
};

// Reads a file, plain or gzip, row by row and in pieces. The delimiter is a tab for .tsv and .tab;
// else it is the one of comma, semicolon, tab and pipe that the first row has most of, or the one a
// first line "sep=;" names. Quotes, quoted line ends, a byte order mark and every kind of line end
// are understood; empty lines are skipped. Lines that are not UTF-8 are read as Windows-1252.
class TextRows {
 public:
  TextRows(const std::filesystem::path& path, TextFormat format = {});
  ~TextRows();
  TextRows(const TextRows&) = delete;
  TextRows& operator=(const TextRows&) = delete;

  // The next row's fields, without blanks around them; false at the end.
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
  char sniff(std::string_view ahead) const;
  [[noreturn]] void bad_quotes() const;

  std::filesystem::path path_;
  TextFormat format_;
  LineReader lines_;
  int64_t row_line_ = 0;
  std::string recoded_;  // a line that was not UTF-8
  int64_t recoded_lines_ = 0, title_lines_ = 0;
  std::string row_text_;  // the beginning of the row, for errors
  char delimiter_ = ',';
  std::unique_ptr<Parser> parser_;
};

// A number as people write it in tables ("+1.5e3"; also nan and inf); false if it is not one.
bool parse_number(std::string_view text, double& value);

// A whole number; false if it is not one.
bool parse_integer(std::string_view text, int64_t& value);

}  // namespace glgnn
