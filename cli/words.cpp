#include "words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "terminal.h"

namespace glgnn::cli {

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

}  // namespace glgnn::cli
