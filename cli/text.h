// What people read on the screen: its width and colours, tables, numbers, command lines.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace glgnn::cli {

// What the screen can show: a terminal or a pipe, its width, colours.

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

// Tables in plain text: columns as wide as they need, the last one wrapped at the screen's edge.

struct Column {
  std::string title;
  bool numeric = false;  // to the right
};

// `screen`: how wide it is; 0: lines may be of any length.
std::string table_text(const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows, size_t screen = 0);
void print_table(std::FILE* out, const std::vector<Column>& columns,
                 const std::vector<std::vector<std::string>>& rows);

// Numbers as people read them.

std::string percent(double fraction);       // "98.6 %"
std::string duration_text(double seconds);  // "0.8 s", "12 s", "3 min 20 s", "2 h 5 min"
std::string memory_text(int64_t bytes);     // "4 MB", "1.2 GB"
std::string joined(const std::vector<std::string>& items, const std::string& between);

// Breaks at spaces so that no line is longer than `width` (0: one line).
std::vector<std::string> wrapped(const std::string& text, size_t width);

// A command line as one can paste it back into a shell.
std::string shell_words(const std::vector<std::string>& arguments);

}  // namespace glgnn::cli
