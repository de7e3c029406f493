// Where new rows come from: one class for each way to read them (new_rows.cpp chooses).
#pragma once

#include <glgnn/new_rows.h>
#include <glgnn/table.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace glgnn {

class CellRows;  // data/cells.h

class RowSource {
 public:
  virtual ~RowSource() = default;

  // Fills the features (not yet scaled, in any form), ids, labels and lines of the next rows,
  // `most` at most; none at the end. `first`: how many rows came before.
  virtual void next(RowBlock& block, int64_t first, int64_t most) = 0;
  virtual bool has_labels() const = 0;
  virtual double part_read() const = 0;
  virtual std::vector<std::string> notes() const = 0;
};

// The model's classes by their names; counts the labels that are none of them.
class ClassNumbers {
 public:
  explicit ClassNumbers(const std::vector<std::string>& class_names);

  int32_t find(const std::string& label);  // -1 where unknown
  bool has(const std::string& label) const { return numbers_.contains(label); }
  void add_note(std::vector<std::string>& notes) const;

 private:
  std::unordered_map<std::string, int32_t> numbers_;
  int64_t unknown_ = 0;
  std::string example_;
};

std::unique_ptr<RowSource> open_table_rows(std::unique_ptr<CellRows> rows, const TablePlan& plan,
                                           ClassNumbers classes, const NewRowsOptions& options);
std::unique_ptr<RowSource> open_svmlight_rows(const std::string& path, const TablePlan& plan,
                                              ClassNumbers classes, const NewRowsOptions& options);
std::unique_ptr<RowSource> open_array_rows(const std::string& what, const TablePlan& plan,
                                           ClassNumbers classes, const NewRowsOptions& options);

}  // namespace glgnn
