#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
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

}  // namespace glgnn::cli
