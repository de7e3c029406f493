// Rows of svmlight and libsvm files: "LABEL NUMBER:VALUE NUMBER:VALUE ... # remark".
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/features.h"
#include "data/line_reader.h"
#include "data/message.h"

namespace glgnn {

struct SvmlightRow {
  std::string label;                 // a whole number is written as one: "1" for +1; "" if unknown
  std::vector<SparseEntry> entries;  // columns as numbered in the file
};

class SvmlightRows {
 public:
  explicit SvmlightRows(const std::filesystem::path& path) : lines_(path) {}

  // False at the end. Numbers must rise within a row.
  bool next(SvmlightRow& row);

  Place place() const { return {lines_.path(), lines_.line()}; }
  double part_read() const { return lines_.part_read(); }

 private:
  void read_label(std::string_view text, SvmlightRow& row) const;
  void read_entry(std::string_view text, SvmlightRow& row) const;

  LineReader lines_;
};

}  // namespace glgnn
