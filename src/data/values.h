// What a field of a table says: a gap, a number, a date, or a text.
#pragma once

#include <glgnn/table.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace glgnn {

// A field of a table.
struct Cell {
  std::string_view text{};
  double number = 0;  // used if is_number: a number that nobody has to read
  bool is_number = false;
  bool is_gap = false;
};

// Latin, Greek and Cyrillic capitals as small letters, each in as many bytes.
std::string lower_case(std::string_view text);

// A number that a double holds as it is written. Not 12345678901234567, nor 12e4567 or 0e1234,
// which are codes rather than infinity and 0.
bool exact_number(std::string_view text, double& value);

// How much float32 rounds the numbers of a column.
struct Rounding {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  double largest = 0;  // distance to a float

  void add(double x) {
    lowest = std::min(lowest, x);
    highest = std::max(highest, x);
    largest = std::max(largest, std::abs(x - static_cast<double>(static_cast<float>(x))));
  }
  // Large numbers that lie close together.
  bool is_much() const {
    constexpr double kMuch = 1e-3;  // of the range
    return highest > lowest && largest > kMuch * (highest - lowest) && std::isfinite(largest);
  }
};

// Numbers as the shortest text that reads as the same.
std::string cell_text(const Cell& cell);

// "", NA, N/A, <NA>, NaN, NaT, null, none, ?, \N, points and dashes, in capitals or not, and what
// spreadsheets write for errors (#N/A, #DIV/0!, ...); 0000-00-00.
bool is_missing(std::string_view text);

// The same for labels, where "none" and signs may well be classes.
bool is_unlabelled(std::string_view text);
// Words that may name a class or a level, or mean that there is none; among numbers they do.
bool may_mean_unknown(std::string_view text);

// The user's words for gaps; one that is a number means that number however it is written.
class GapWords {
 public:
  explicit GapWords(const std::vector<std::string>& words);

  bool has(std::string_view text);
  bool has(double number);
  std::vector<std::string> unseen() const;  // of which has() was never true

 private:
  struct Word {
    std::string text;
    double number;  // NaN: none
    bool is_seen;
  };
  template <class Is>
  bool see(const Is& is);

  std::vector<Word> words_;
  bool has_numbers_ = false;
};

// "-", "+", "++": a sign without a number; "-" is a level among such, and else a gap.
bool is_sign(std::string_view text);

// "id", "ID", "row", "sample_id", "customerId", "patient no", "row.names", "S.No": names of columns
// that number the rows.
bool is_id_name(std::string_view name);
// "obs", "case": names that do where the numbers rise from row to row.
bool may_number_rows(std::string_view name);

}  // namespace glgnn
