#include "text.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace glgnn::cli {

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

size_t terminal_width(std::FILE* stream) {
  winsize size{};
  if (!is_terminal(stream)) return 0;
  const bool known = ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

Paint::Paint(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term && std::string_view(term) == "dumb";
  on_ = is_terminal(stream) && !(no_color && *no_color) && !dumb;
}

std::string Paint::wrap(const char* code, const std::string& text) const {
  return on_ && !text.empty() ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
}

size_t text_width(const std::string& text) {
  const auto starts_character = [](unsigned char c) { return (c & 0xC0) != 0x80; };
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

namespace {

constexpr size_t kGap = 2;
constexpr size_t kNarrowest = 24;  // of a wrapped column

std::string padded(const std::string& text, size_t width, bool to_the_right) {
  const size_t used = text_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return to_the_right ? space + text : text + space;
}

}  // namespace

std::string table_text(const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows, size_t screen) {
  const size_t last = columns.size() - 1;
  std::vector<size_t> widths(columns.size());
  size_t start_of_last = 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    widths[c] = text_width(columns[c].title);
    for (const auto& row : rows) widths[c] = std::max(widths[c], text_width(row[c]));
    if (c < last) start_of_last += widths[c] + kGap;
  }
  const bool wrap = screen > 0 && !columns[last].numeric && start_of_last + widths[last] > screen;
  const size_t wrap_width =
      wrap ? std::max(kNarrowest, screen > start_of_last ? screen - start_of_last : 0) : 0;

  std::string text;
  const auto add_row = [&](const std::vector<std::string>& row) {
    for (size_t c = 0; c < last; ++c) {
      text += padded(row[c], widths[c], columns[c].numeric) + std::string(kGap, ' ');
    }
    const auto lines = wrapped(row[last], wrap_width);
    text += (columns[last].numeric ? padded(lines[0], widths[last], true) : lines[0]) + "\n";
    for (size_t i = 1; i < lines.size(); ++i) {
      text += std::string(start_of_last, ' ') + lines[i] + "\n";
    }
  };
  std::vector<std::string> titles;
  for (const auto& column : columns) titles.push_back(column.title);
  add_row(titles);
  for (const auto& row : rows) add_row(row);
  return text;
}

void print_table(std::FILE* out, const std::vector<Column>& columns,
                 const std::vector<std::vector<std::string>>& rows) {
  const std::string text = table_text(columns, rows, terminal_width(out));
  const size_t end = text.find('\n');
  fmt::print(out, "{}{}", Paint(out).bold(text.substr(0, end)), text.substr(end));
}

std::string percent(double fraction) { return fmt::format("{:.1f} %", 100.0 * fraction); }

std::string duration_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string memory_text(int64_t bytes) {
  const double megabytes = static_cast<double>(bytes) / (1 << 20);
  if (megabytes < 1) return "1 MB";
  if (megabytes < 1000) return fmt::format("{:.0f} MB", megabytes);
  return fmt::format("{:.1f} GB", megabytes / 1024);
}

std::string joined(const std::vector<std::string>& items, const std::string& between) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : between) + item;
  return text;
}

std::vector<std::string> wrapped(const std::string& text, size_t width) {
  if (width == 0) return {text};
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t needed = text_width(lines.back()) + 1 + text_width(word);
    if (!lines.back().empty() && needed > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

namespace {

bool is_plain(const std::string& word) {
  constexpr std::string_view kHarmless = "_-+=./:,@%";
  for (const char c : word) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && kHarmless.find(c) == kHarmless.npos) {
      return false;
    }
  }
  return !word.empty();
}

std::string quoted_word(const std::string& word) {
  if (is_plain(word)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string shell_words(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  for (const auto& argument : arguments) words.push_back(quoted_word(argument));
  return joined(words, " ");
}

}  // namespace glgnn::cli
