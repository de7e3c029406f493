// What the screen can show: a terminal or a pipe, its width, colours.
#pragma once

#include <cstdio>
#include <string>

namespace glgnn::cli {

bool is_terminal(std::FILE* stream);

// Columns of the terminal; 0 where there is none.
size_t terminal_width(std::FILE* stream);

// Text with weight or colour, plain where the stream is no terminal or $NO_COLOR is set.
class Paint {
 public:
  explicit Paint(std::FILE* stream);
  bool on() const { return on_; }
  std::string bold(const std::string& text) const { return wrap("1", text); }
  std::string faint(const std::string& text) const { return wrap("2", text); }
  std::string red(const std::string& text) const { return wrap("31", text); }
  std::string green(const std::string& text) const { return wrap("32", text); }

 private:
  std::string wrap(const char* code, const std::string& text) const;
  bool on_;
};

// Characters, not bytes.
size_t text_width(const std::string& text);

}  // namespace glgnn::cli
