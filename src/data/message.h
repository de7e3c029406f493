// The wording of this folder's errors, in one place: FILE:LINE: wrong: found "…", expected …;
// repair.
#pragma once

#include <glgnn/error.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/nearest.h"

namespace glgnn {

// Where something was read; line 0 means the file has no lines.
struct Place {
  std::filesystem::path file;
  int64_t line = 0;

  std::string text() const;
};

// The four parts of a message. `found` is quoted as it is (cut if long, control characters masked).
struct Complaint {
  std::string wrong;
  std::string found;
  std::string expected;
  std::string repair;
};

[[noreturn]] void fail(ErrorKind kind, const Place& place, const Complaint& complaint);

// `text` with ? for each control character: those of a damaged file could confuse a terminal.
std::string printable(std::string_view text);

// `text` short enough and clean enough for a terminal, and the same in quotes.
std::string shortened(std::string_view text);
std::string quote(std::string_view text);

// "1 edge", "2 edges".
std::string counted(int64_t number, const std::string& noun);

// The first few of `items` with commas; "and 7 more" for the rest.
std::string listed(const std::vector<std::string>& items, size_t limit = 5);

}  // namespace glgnn
