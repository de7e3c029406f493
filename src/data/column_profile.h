// What a column of a table holds, found by reading all of it, and what is to become of it.
#pragma once

#include <glgnn/table.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/number_style.h"
#include "data/values.h"

namespace glgnn {

// What the user says about a column.
enum class ColumnWish { kNone, kNumeric, kCategorical, kDrop };

// The rules (docs/data_formats.md has them in words).
class ColumnProfile {
 public:
  // `minus_is_gap`: the user says so, else it is a level among other signs.
  ColumnProfile(std::string name, ColumnWish wish, bool minus_is_gap)
      : name_(std::move(name)), wish_(wish), minus_is_gap_(minus_is_gap) {}

  // First reading: every cell of the column.
  void add(const Cell& cell);

  // Whether the column has to be read again, now that its kind is known; then every cell once more.
  bool needs_second_reading(SignUses uses);
  void add_again(const Cell& cell);

  // Afterwards: levels that differ in case alone, or as 1 and 1.0 do, become one.
  void join_levels();

  // What becomes of the column.
  TableColumn column() const;

  // How many rows have each word of a text.
  std::map<std::string, int64_t> words() const;

  // Why a column that is mostly numbers or dates is taken for categories or text, which spellings
  // are one level, or what a comma is taken for, which number may stand for a gap; empty where
  // there is nothing to say. `of_file`: the table is a file, not one in memory.
  std::string note(bool of_file) const;

  const StyleFinder& styles() const { return styles_; }
  bool is_numeric() const { return kind() == ColumnKind::kNumeric; }

 private:
  bool is_mostly(int64_t part) const;
  bool has_few_words() const;
  bool words_are_levels() const;
  bool are_names() const;
  std::array<int64_t, 3> dates() const;
  int64_t most_dates() const { return std::ranges::max(dates()); }
  ColumnKind kind() const;
  void describe_numbers(TableColumn& column, std::vector<double> values) const;
  void describe_texts(TableColumn& column) const;
  void choose_levels(TableColumn& column) const;
  std::string note_of_most(bool are_dates, bool of_file) const;
  std::string note_of_numbers(bool of_file) const;

  std::string name_;
  ColumnWish wish_;
  bool minus_is_gap_;
  int64_t missing_ = 0, present_ = 0;
  int64_t unknown_ = 0;  // words such as "unknown": gaps if the others are numbers or dates
  int64_t signs_ = 0, minuses_ = 0;  // texts such as "+", and gaps such as "-"
  bool minuses_are_levels_ = false;
  std::vector<double> numbers_;       // those that are written plainly, until a second reading
  int64_t long_wholes_ = 0;           // more digits than a double has
  std::set<std::string> like_first_;  // texts that a double does not tell from the first number's
  StyleFinder styles_;
  std::map<std::string, int64_t> words_;  // the first ones that are no plain numbers
  std::array<int64_t, 3> dates_{};        // texts that fit each order
  int64_t months_or_years_ = 0;           // "2011-12", not counted above
  int64_t unclear_dates_ = 0;
  ColumnKind kind_ = ColumnKind::kNumeric;
  NumberStyle style_;
  SignUses uses_;
  DateOrder order_ = DateOrder::kYear;
  std::unordered_map<std::string, int64_t> levels_;
  int64_t bytes_ = 0, blanks_ = 0;      // of the texts counted as levels
  std::vector<std::string> spellings_;  // of levels, "yes" is "Yes"
};

}  // namespace glgnn
