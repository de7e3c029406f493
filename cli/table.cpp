#include "table.h"

#include <fmt/core.h>

#include <algorithm>

#include "terminal.h"
#include "words.h"

namespace glgnn::cli {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kNarrowest = 24;  // of a wrapped column

std::string padded(const std::string& text, size_t width, bool to_the_right) {
  const size_t used = text_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return to_the_right ? space + text : text + space;
}

}  // namespace

void print_table(std::FILE* out, const std::vector<Column>& columns,
                 const std::vector<std::vector<std::string>>& rows) {
  const size_t last = columns.size() - 1;
  std::vector<size_t> widths(columns.size());
  size_t start_of_last = 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    widths[c] = text_width(columns[c].title);
    for (const auto& row : rows) widths[c] = std::max(widths[c], text_width(row[c]));
    if (c < last) start_of_last += widths[c] + kGap;
  }
  const size_t screen = terminal_width(out);
  const bool wrap = screen > 0 && !columns[last].numeric && start_of_last + widths[last] > screen;
  const size_t wrap_width =
      wrap ? std::max(kNarrowest, screen > start_of_last ? screen - start_of_last : 0) : 0;

  const Paint paint(out);
  const auto print_row = [&](const std::vector<std::string>& row, bool title) {
    std::string line;
    for (size_t c = 0; c < last; ++c) {
      line += padded(row[c], widths[c], columns[c].numeric) + std::string(kGap, ' ');
    }
    const auto lines = wrapped(row[last], wrap_width);
    line += columns[last].numeric ? padded(lines[0], widths[last], true) : lines[0];
    fmt::print(out, "{}\n", title ? paint.bold(line) : line);
    for (size_t i = 1; i < lines.size(); ++i) {
      fmt::print(out, "{}{}\n", std::string(start_of_last, ' '), lines[i]);
    }
  };

  std::vector<std::string> titles;
  for (const auto& column : columns) titles.push_back(column.title);
  print_row(titles, true);
  for (const auto& row : rows) print_row(row, false);
}

}  // namespace glgnn::cli
