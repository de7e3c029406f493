// What a column of a table holds, found by reading all of it, and what is to become of it.
#pragma once

#include <glgnn/table.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace glgnn {

// What the user says about a column.
enum class ColumnWish { kNone, kNumeric, kCategorical, kDrop };

// The rules (docs/data_formats.md has them in words).
class ColumnProfile {
 public:
  ColumnProfile(std::string name, ColumnWish wish) : name_(std::move(name)), wish_(wish) {}

  // First reading: every field of the column.
  void add(const std::string& text);

  // Whether the levels have to be counted, which takes a second reading.
  bool needs_levels() const;
  void add_level(const std::string& text);

  // What becomes of the column. `comma_separates`: the file's delimiter is a comma, so that "1,234"
  // was in quotes and may mean thousands.
  TableColumn column(bool comma_separates);

 private:
  bool is_mostly(int64_t part) const;
  bool is_numeric() const;
  bool is_date() const;
  void describe_numbers(TableColumn& column, std::vector<double>& values) const;
  void describe_texts(TableColumn& column) const;
  void choose_levels(TableColumn& column) const;

  std::string name_;
  ColumnWish wish_;
  int64_t missing_ = 0, present_ = 0;
  int64_t points_ = 0, commas_ = 0, grouped_ = 0, unclear_dates_ = 0;
  std::vector<double> numbers_, comma_numbers_, dates_;
  std::unordered_map<std::string, int64_t> levels_;
  int64_t bytes_ = 0, blanks_ = 0;  // of the texts counted as levels
};

}  // namespace glgnn
