// The cells of a table, row by row: of a text file, or of a table in memory (a DataFrame).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/column_profile.h"
#include "data/data.h"
#include "data/message.h"
#include "data/values.h"

namespace glgnn {

// The rows of one reading. The first row of a file names its columns.
class CellRows {
 public:
  virtual ~CellRows() = default;

  virtual const std::vector<std::string>& names() const = 0;
  // The next row; its texts are valid until the next call. False at the end.
  virtual bool next(std::vector<Cell>& cells) = 0;
  // Where the row that next() gave is, or the header before the first.
  virtual Place place() const = 0;
  // The number of that row, from 0; rows that were left out count.
  virtual int64_t row() const = 0;
  // The user's words for gaps that no cell has been so far.
  virtual std::vector<std::string> unseen_words() const = 0;
  virtual double part_read() const = 0;  // 0 to 1
  // Whether commas separate the fields, so that one inside a number was in quotes.
  virtual bool comma_separates() const = 0;
  // Whether the rows are those of a file, not of a table in memory; for errors.
  virtual bool are_of_file() const { return true; }
  // What was done to the text, one sentence each; complete at the end.
  virtual std::vector<std::string> notes() const { return {}; }
};

// A column in memory: numbers (NaN: a gap) or texts.
struct FrameColumn {
  std::string name;
  ColumnWish wish = ColumnWish::kNone;
  bool is_text = false;
  std::span<const double> numbers{};
  std::vector<std::string> texts{};
};

// A table in memory; all columns have `rows` cells.
struct Frame {
  std::vector<FrameColumn> columns;
  int64_t rows = 0;
};

// `missing`: words that mean a gap, beside those that always do.
std::unique_ptr<CellRows> open_text_cells(const std::filesystem::path& path,
                                          const std::vector<std::string>& missing);
// The frame must outlive the result.
std::unique_ptr<CellRows> open_frame_cells(const Frame& frame,
                                           const std::vector<std::string>& missing);

// What load_dataset() makes of a table in memory: the same features as of a file with the same
// values. Labels are the caller's. `doubts` gets the notes on what may be meant otherwise.
// table.cpp
Dataset read_frame(const Frame& frame, const LoadOptions& options,
                   std::vector<std::string>& doubts);

}  // namespace glgnn
