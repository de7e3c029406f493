#include <algorithm>
#include <cmath>

#include "data/formats.h"
#include "data/table_header.h"
#include "data/text_rows.h"

namespace glgnn {
namespace {

std::string_view field_of(std::string_view text) {
  text = trimmed(text);
  const bool quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return quoted ? trimmed(text.substr(1, text.size() - 2)) : text;
}

std::vector<std::string_view> split(std::string_view line, char delimiter) {
  std::vector<std::string_view> fields;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find(delimiter, begin), line.size());
    fields.push_back(field_of(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return fields;
}

bool is_number(std::string_view field) {
  double value = 0;
  return parse_number(field, value);
}

}  // namespace

bool is_svmlight(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  return extension == ".svm" || extension == ".svmlight" || extension == ".libsvm";
}

// visit(byte at which it begins, line) for each line that begins at byte `from` of the rows or
// later, until it says false. Blank lines are left out.
template <class Visit>
void TableParts::for_lines(int64_t from, Visit&& visit) const {
  constexpr int64_t kPiece = int64_t{1} << 18;
  // Whether a line begins at `from` is seen from the byte before.
  const bool may_be_inside = from > 0;
  int64_t at = start_ + from - may_be_inside;  // of the first byte in `text`
  std::string text;
  bool inside = may_be_inside;
  while (true) {
    const int64_t next = at + static_cast<int64_t>(text.size());
    const int64_t piece = std::min(kPiece, file_.size() - next);
    const bool last = piece <= 0;
    if (!last) text += file_.bytes(next, piece);
    size_t begin = 0;
    for (size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string_view line(text.data() + begin, end - begin);
      const bool is_whole = !std::exchange(inside, false);
      if (!is_whole || is_blank(line)) continue;
      if (!visit(at + static_cast<int64_t>(begin) - start_, line)) return;
    }
    at += static_cast<int64_t>(begin);
    text.erase(0, begin);
    if (!last) continue;
    if (!inside && !is_blank(text)) visit(at - start_, std::string_view(text));
    return;
  }
}

TableParts::TableParts(const std::filesystem::path& path, const std::string& label) : file_(path) {
  svmlight_ = is_svmlight(path);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  constexpr auto kMarkSize = static_cast<int64_t>(kByteOrderMark.size());
  if (file_.size() >= kMarkSize && file_.bytes(0, kMarkSize) == kByteOrderMark) start_ = kMarkSize;
  std::string first;
  int64_t end_of_first = 0;
  for_lines(0, [&](int64_t begin, std::string_view line) {
    first = line;
    end_of_first = std::min(bytes(), begin + static_cast<int64_t>(line.size()) + 1);
    return false;
  });
  if (first.empty()) {
    fail(ErrorKind::kData, {path},
         {"no rows", "an empty file", "a table of numbers", "write it again"});
  }
  check_text(first);
  if (svmlight_) {
    label_ = label.empty() ? -1 : 0;
    return;
  }
  for (const char other : {';', '\t'}) {
    if (std::ranges::count(first, other) > std::ranges::count(first, delimiter_))
      delimiter_ = other;
  }
  const std::vector<std::string_view> fields = split(first, delimiter_);
  fields_ = fields.size();
  names_.assign(fields.begin(), fields.end());
  if (std::ranges::all_of(fields, is_number) && !is_header(names_)) {
    for (size_t f = 0; f < fields_; ++f) names_[f] = "f" + std::to_string(f);
  } else {
    check_is_header(names_, {path, 1});
    start_ += end_of_first;
  }
  cols_ = static_cast<int64_t>(fields_) - !label.empty();
  if (label.empty()) return;
  const auto found = std::ranges::find(names_, label);
  if (found == names_.end()) {
    fail(ErrorKind::kUsage, {path, 1},
         {"no such label column", label, "one of the columns",
          "the nearest is " + quote(nearest_names(label, names_)[0])});
  }
  label_ = found - names_.begin();
}

void TableParts::check_text(const std::string& first) const {
  if (first.starts_with("\xFF\xFE") || first.starts_with("\xFE\xFF")) {
    fail(ErrorKind::kData, {file_.path()},
         {"not UTF-8 text", "UTF-16", "UTF-8 where rows are read by parts",
          "save the file as \"CSV UTF-8\" or convert it with iconv"});
  }
  if (first.find('\r') < first.size() - 1) {
    fail(ErrorKind::kData, {file_.path()},
         {"lines end in CR alone", "one line of " + counted(std::ssize(first), "byte"),
          "a line end LF or CR LF after each row", "write the file anew, as with tr '\\r' '\\n'"});
  }
}

bool TableParts::is_blank(std::string_view line) const {
  return field_of(svmlight_ ? line.substr(0, line.find('#')) : line).empty();
}

TableParts::Counted TableParts::count(int64_t begin, int64_t end) const {
  Counted counted;
  SvmlightRow row;
  for_lines(begin, [&](int64_t at, std::string_view line) {
    if (at >= end) return false;
    ++counted.rows;
    if (svmlight_ &&
        parse_svmlight(
            line, [&] { return Place{file_.path()}; }, row) &&
        !row.entries.empty()) {
      counted.lowest = std::min<int64_t>(counted.lowest, row.entries.front().column);
      counted.highest = std::max<int64_t>(counted.highest, row.entries.back().column);
    }
    return true;
  });
  return counted;
}

void TableParts::set_columns(const Counted& all) {
  if (!svmlight_) return;
  first_column_ = all.lowest == 0 ? 0 : 1;
  cols_ = all.highest + 1 - first_column_;
}

void TableParts::add_svmlight(Rows& rows, int64_t at, std::string_view line) const {
  SvmlightRow row;
  parse_svmlight(
      line, [&] { return Place{file_.path()}; }, row);
  for (const SparseEntry& entry : row.entries) {
    rows.numbers[at][entry.column - first_column_] = entry.value;
  }
  if (label_ >= 0) rows.labels[at] = row.label;
}

void TableParts::add(Rows& rows, int64_t at, std::string_view line, int64_t number) const {
  const std::vector<std::string_view> fields = split(line, delimiter_);
  const std::string row = "row " + std::to_string(number);
  if (fields.size() != fields_) {
    fail(ErrorKind::kData, {file_.path()},
         {row + " has another number of fields",
          counted(static_cast<int64_t>(fields.size()), "field"),
          std::to_string(fields_) + ", as the first line",
          "a table that is read by parts has a line for each row, and no text with line ends"});
  }
  float* to = rows.numbers[at];
  for (size_t f = 0; f < fields_; ++f) {
    if (static_cast<int64_t>(f) == label_) {
      rows.labels[at] = fields[f];
      continue;
    }
    double value = 0;
    const bool is_finite =
        parse_number(fields[f], value) && std::isfinite(static_cast<float>(value));
    if (!is_finite) {
      fail(
          ErrorKind::kData, {file_.path()},
          {row + ", column " + names_[f] + ": not a number", std::string(fields[f]),
           "numbers alone where rows are read by parts", "fill gaps, and leave out other columns"});
    }
    *to++ = static_cast<float>(value);
  }
}

TableParts::Rows TableParts::read(int64_t from, int64_t skipped, int64_t count,
                                  int64_t first) const {
  if (svmlight_) check_cells(count, cols(), {file_.path()});
  Rows rows{Matrix(count, cols()), {}};
  if (label_ >= 0) rows.labels.resize(static_cast<size_t>(count));
  int64_t at = -skipped;
  for_lines(from, [&](int64_t, std::string_view line) {
    if (at >= count) return false;
    if (at >= 0 && svmlight_) add_svmlight(rows, at, line);
    if (at >= 0 && !svmlight_) add(rows, at, line, first + at);
    return ++at < count;
  });
  if (at < count) {
    fail(ErrorKind::kIo, {file_.path()},
         {"fewer rows than before", counted(at, "row"), counted(count, "row"),
          "check that nobody changes the file"});
  }
  return rows;
}

}  // namespace glgnn
