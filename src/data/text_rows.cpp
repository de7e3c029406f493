#include "data/text_rows.h"

#include <csv.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace glgnn {
namespace {

constexpr size_t kKeptForErrors = 200;
constexpr std::array<char, 4> kDelimiters{',', ';', '\t', '|'};
// A quote that is never closed would take the rest of the file for one field. One line may be
// longer (data/message.h).
constexpr size_t kLongestQuoted = size_t{1} << 26;

void split_blanks(std::string_view line, std::vector<std::string>& fields) {
  constexpr std::string_view kBlanks = " \t\r\n";
  for (size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    fields.emplace_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
}

// The line with quotes that are part of a field, as in 5" and 6" x 7", written as libcsv wants
// them: twice, in a field in quotes. A field that begins with a quote stays as it is, but among
// tabs "Rome" again is no field in quotes.
std::string with_doubled_quotes(std::string_view line, char delimiter, bool in_quotes) {
  const std::string stops{delimiter, '\r', '\n'};
  std::string out;
  while (true) {
    if (!in_quotes) {
      const size_t begin =
          std::min(line.find_first_not_of(delimiter == '\t' ? " " : " \t"), line.size());
      out += line.substr(0, begin);
      line.remove_prefix(begin);
    }
    size_t end = 0;  // of the part in quotes
    if (in_quotes || line.starts_with('"')) {
      end = in_quotes ? 0 : 1;
      while ((end = line.find('"', end)) != std::string_view::npos &&
             line.substr(end + 1).starts_with('"'))
        end += 2;
      if (end == std::string_view::npos) return out + std::string(line);
      ++end;
    }
    in_quotes = false;
    const size_t stop = std::min(line.find_first_of(stops, end), line.size());
    const std::string_view field = line.substr(0, stop);
    const bool is_quoted = end > 0 && (delimiter != '\t' || trimmed(field.substr(end)).empty());
    if (is_quoted || field.find('"') == std::string_view::npos) {
      out += field;
    } else {
      out += '"';
      for (const char c : field) out += std::string(c == '"' ? 2 : 1, c);
      out += '"';
    }
    if (stop == line.size() || line[stop] != delimiter) return out + std::string(line.substr(stop));
    out += delimiter;
    line.remove_prefix(stop + 1);
  }
}

constexpr std::string_view kCommentSigns = "#%";  // %: KONECT and the Network Repository

bool begins_with(std::string_view line, std::string_view signs) {
  const size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && signs.find(line[first]) != std::string_view::npos;
}

}  // namespace

struct TextRows::Parser {
  csv_parser csv;
  std::vector<std::string>* fields = nullptr;
  bool row_done = false, no_memory = false;

  explicit Parser(char delimiter) {
    if (csv_init(&csv, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
    csv_set_delim(&csv, static_cast<unsigned char>(delimiter));
  }
  ~Parser() { csv_free(&csv); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // An exception must not pass through C code.
  static void on_field(void* text, size_t size, void* self) {
    const auto parser = static_cast<Parser*>(self);
    try {
      parser->fields->emplace_back(trimmed({static_cast<const char*>(text), size}));
    } catch (const std::bad_alloc&) {
      parser->no_memory = true;
    }
  }
  static void on_row(int, void* self) { static_cast<Parser*>(self)->row_done = true; }

  bool feed(std::string_view line) {
    return is_good(csv_parse(&csv, line.data(), line.size(), on_field, on_row, this) ==
                   line.size());
  }
  bool finish() { return is_good(csv_fini(&csv, on_field, on_row, this) == 0); }

 private:
  bool is_good(bool parsed) {
    if (no_memory || (!parsed && csv_error(&csv) == CSV_ENOMEM)) throw std::bad_alloc();
    return parsed;
  }
};

TextRows::TextRows(const std::filesystem::path& path, TextFormat format)
    : path_(path), format_(format), lines_(path) {
  std::string_view ahead = lines_.ahead();
  const size_t bytes = ahead.size();
  if (ahead.find_first_not_of(" \t\r\n") == std::string::npos) {
    fail(ErrorKind::kData, {path_},
         {"empty file", counted(static_cast<int64_t>(bytes), "byte"), "rows of text",
          "check that the file was written completely"});
  }
  if (!format_.comments) {
    title_lines_ = count_title_lines(ahead);
    std::string_view line;
    for (int64_t l = 0; l < title_lines_; ++l) lines_.next(line);
    ahead = lines_.ahead();
  }
  const std::string extension = content_extension(path_);
  const bool tabs = extension == ".tsv" || extension == ".tab";
  if (!take_separator_line(ahead)) delimiter_ = tabs ? '\t' : sniff(ahead);
  parser_ = std::make_unique<Parser>(delimiter_);
}

TextRows::~TextRows() = default;

bool TextRows::next(std::vector<std::string>& fields) {
  fields.clear();
  parser_->fields = &fields;
  parser_->row_done = false;
  bool in_row = false;
  size_t size = 0;
  // One line at a time, so that a row's line number is known also when fields contain line ends.
  for (std::string_view line; lines_.next(line);) {
    if (!is_utf8(line)) {
      recoded_ = from_windows_1252(line);
      line = recoded_;
      ++recoded_lines_;
    }
    if (!in_row) {
      if (is_blank(line) || (format_.comments && begins_with(line, kCommentSigns))) continue;
      in_row = true;
      row_line_ = lines_.line();
      row_text_.assign(line.substr(0, std::min(line.find_first_of("\r\n"), kKeptForErrors)));
    }
    if (delimiter_ == ' ') {
      split_blanks(line, fields);
      return true;
    }
    if (line.find('"') != std::string_view::npos) {
      requoted_ = with_doubled_quotes(line, delimiter_, size > 0);
      line = requoted_;
    }
    size += line.size();
    const bool has_line_ends = size > line.size();
    if (!parser_->feed(line) || (has_line_ends && size > kLongestQuoted)) bad_quotes();
    if (parser_->row_done) return true;
  }
  if (in_row && !parser_->finish()) bad_quotes();
  return in_row;
}

std::vector<std::string> TextRows::notes() const {
  std::vector<std::string> notes;
  if (title_lines_ > 0) {
    notes.push_back(counted(title_lines_, "line") + " above the names of the columns left out: " +
                    (title_lines_ == 1 ? "it begins" : "they begin") + " with #");
  }
  if (recoded_lines_ > 0) {
    notes.push_back(counted(recoded_lines_, "line") + (recoded_lines_ == 1 ? " is" : " are") +
                    " not UTF-8 and read as Windows-1252 (Latin-1)");
  }
  return notes;
}

bool TextRows::is_blank(std::string_view line) const {
  return line.find_first_not_of(delimiter_ == '\t' ? " \r\n" : " \t\r\n") == std::string_view::npos;
}

// Excel's way to name the delimiter.
bool TextRows::take_separator_line(std::string_view ahead) {
  constexpr std::string_view kName = "sep=";
  if (!ahead.starts_with(kName) || ahead.size() < kName.size() + 2) return false;
  const char end = ahead[kName.size() + 1];
  if (end != '\n' && end != '\r') return false;
  delimiter_ = ahead[kName.size()];
  std::string_view line;
  return lines_.next(line);
}

// Lines that begin with # above the header. The last of them may be the header: "#id,height".
int64_t TextRows::count_title_lines(std::string_view ahead) const {
  int64_t count = 0;
  std::string_view last;
  while (begins_with(ahead, "#")) {
    const size_t end = ahead.find_first_of("\r\n");
    if (end == std::string_view::npos) return 0;
    last = ahead.substr(0, end);
    ahead.remove_prefix(end + (ahead.substr(end).starts_with("\r\n") ? 2 : 1));
    ++count;
  }
  const std::string_view below = ahead.substr(0, ahead.find_first_of("\r\n"));
  const char delimiter = sniff(below);
  const auto fields = std::ranges::count(below, delimiter);
  return count > 0 && fields > 0 && std::ranges::count(last, delimiter) == fields ? count - 1
                                                                                  : count;
}

// How often each delimiter is in the next line that says something, outside quotes; goes on behind
// it; `ahead` is empty then where the line does not end in what was read.
TextRows::Counts TextRows::count_delimiters(std::string_view& ahead) const {
  Counts counts{};
  bool in_quotes = false, at_start = true, in_comment = false;
  for (size_t i = 0; i < ahead.size(); ++i) {
    const char c = ahead[i];
    if (c == '\n' || c == '\r') {
      if (!at_start && !in_comment && !in_quotes) {
        ahead.remove_prefix(i);
        return counts;
      }
      at_start = !in_quotes;
      in_comment = false;
      continue;
    }
    if (at_start && format_.comments && kCommentSigns.find(c) != std::string_view::npos) {
      in_comment = true;
    }
    if (in_comment) continue;
    if (c != ' ') at_start = false;
    if (c == '"') in_quotes = !in_quotes;
    for (size_t d = 0; d < kDelimiters.size(); ++d) counts[d] += !in_quotes && c == kDelimiters[d];
  }
  ahead = {};
  return counts;
}

// The delimiter that the first line has most of. One that the second line has as often comes
// before others, as in "width, mm;height, mm".
char TextRows::sniff(std::string_view ahead) const {
  const Counts first = count_delimiters(ahead);
  const Counts second = ahead.empty() ? Counts{} : count_delimiters(ahead);
  const bool second_is_whole = !ahead.empty();
  size_t best = 0;
  const auto rank = [&](size_t d) {
    return std::pair(second_is_whole && first[d] > 0 && first[d] == second[d], first[d]);
  };
  for (size_t d = 1; d < kDelimiters.size(); ++d) best = rank(d) > rank(best) ? d : best;
  return first[best] == 0 && format_.blanks ? ' ' : kDelimiters[best];
}

void refuse_blanks(const std::string& line, const Place& place) {
  fail(ErrorKind::kData, place,
       {"blanks between the fields", line, "commas, semicolons, tabs or pipes",
        "write the table with one of them; in R: write.csv(table, \"table.csv\", row.names = "
        "FALSE)"});
}

void TextRows::bad_quotes() const {
  const bool has_delimiter = row_text_.find(delimiter_) != std::string::npos;
  if (!has_delimiter && row_text_.find("\" \"") != std::string::npos) {
    refuse_blanks(row_text_, place());
  }
  fail(ErrorKind::kData, place(),
       {"quotes do not match", row_text_,
        "fields in quotes that end with a quote, and two quotes for one inside",
        "correct the quotes of the row that begins here"});
}

bool parse_number(std::string_view text, double& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range) {  // strtod says which way: 0 or infinity
    value = std::strtod(std::string(text).c_str(), nullptr);
    return end == text.data() + text.size();
  }
  return code == std::errc() && end == text.data() + text.size();
}

bool parse_integer(std::string_view text, int64_t& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

}  // namespace glgnn
