// From the fields of a table's row to its features, as a plan says: for the rows of fit() and for
// those that come later.
#pragma once

#include <glgnn/table.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/cells.h"
#include "data/message.h"

namespace glgnn {

class RowEncoder {
 public:
  struct Options {
    bool fitting = false;         // errors name the options of fit()
    bool comma_separates = true;  // of new rows: another delimiter allows 1,5 in every column
  };

  // `positions`: where the file has each of the plan's columns; -1 for those it has not.
  RowEncoder(const TablePlan& plan, std::vector<int64_t> positions, Options options);
  RowEncoder(const RowEncoder&) = delete;
  RowEncoder& operator=(const RowEncoder&) = delete;

  int64_t features() const { return features_; }

  // Writes all features of a row, which are zero before. A gap in a column whose median is NaN (it
  // is not known) is an error.
  void encode(const std::vector<Cell>& cells, const CellRows& place, float* out);

  // Levels that the plan does not know, and gaps in columns that had none: one sentence for each
  // column.
  std::vector<std::string> notes() const;

 private:
  // A number that can be read by the decimal sign of the fitted rows, by the other one, or both.
  struct Number {
    std::string text;
    Place place;
    double as_fitted = 0, otherwise = 0;
  };
  struct Part {
    const TableColumn* column = nullptr;
    int64_t position = -1;
    int64_t first = 0;                                // feature
    std::unordered_map<std::string, int64_t> levels;  // by their texts and their spellings
    int64_t new_levels = 0, new_gaps = 0;
    std::string example;          // of a new level
    Number both_ways, other_way;  // the first ones
  };

  static void count_words_of(const Part& part, const Cell& cell, float* out);
  void encode_level(Part& part, const Cell& cell, float* out);
  bool read_number(Part& part, const Cell& cell, const CellRows& rows, double& value) const;
  bool read_text(Part& part, std::string_view text, const CellRows& rows, double& value) const;
  [[noreturn]] void refuse_two_signs(const Part& part) const;
  [[noreturn]] void gap_without_median(const Part& part, const Cell& cell,
                                       const Place& place) const;
  std::string other_ways(const std::string& name, const std::string& text,
                         const CellRows& rows) const;
  [[noreturn]] void bad_number(const Part& part, const std::string& text,
                               const CellRows& rows) const;

  std::vector<TableColumn> columns_;
  std::vector<Part> parts_;
  Options options_;
  int64_t features_ = 0;
};

}  // namespace glgnn
