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

// What a file may ask for. A few bytes can claim any number of columns, and a packed file unpacks a
// thousandfold; until a file shows that it means more it gets a multiple of its own size. Every
// limit is checked before the memory is taken, and its message says how an honest file avoids it.

// Columns of a sparse matrix cost memory each, and are only a number in the file.
inline constexpr int64_t kColumnsAtLeast = int64_t{1} << 20, kColumnsPerEntry = 64;
void check_columns(int64_t columns, int64_t entries, const Place& place);

// Rows of a sparse matrix, where a number in the file says how many there are.
inline constexpr int64_t kRowsAtLeast = 10'000, kRowsPerEntry = 100;
void check_rows(int64_t rows, int64_t entries, const Place& place);

// A line of a packed text; one of a plain file is never longer than the file.
inline constexpr int64_t kLineAtLeast = int64_t{1} << 26;
void check_line(int64_t bytes, int64_t file_bytes, const Place& place);

// What is unpacked from a file. `repair` is how to give it unpacked.
inline constexpr int64_t kUnpackedAtLeast = int64_t{1} << 26, kUnpackedPerByte = 200,
                         kPartOfMemory = 16;
void check_unpacked(int64_t bytes, int64_t file_bytes, const Place& place,
                    const std::string& repair);

// Dense features, against the memory there is.
void check_cells(int64_t rows, int64_t columns, const Place& place);

// Where memory did not suffice although nothing was over a limit.
[[noreturn]] void out_of_memory(const Place& place);

}  // namespace glgnn
