// One function per kind of input; readers.cpp chooses among them.
#pragma once

#include <glgnn/dataset.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/data.h"
#include "data/features.h"
#include "data/line_reader.h"
#include "data/message.h"
#include "data/npz.h"

namespace glgnn {

Dataset read_table(const std::filesystem::path& path, const LoadOptions& options);    // table.cpp
Dataset read_npy_set(const std::filesystem::path& path, const LoadOptions& options);  // arrays.cpp
Dataset read_npz_set(const std::filesystem::path& path, const LoadOptions& options);  // arrays.cpp
Dataset read_mtx_set(const std::filesystem::path& path, const LoadOptions& options);  // arrays.cpp
Dataset read_svmlight(const std::filesystem::path& path,
                      const LoadOptions& options);  // svmlight.cpp
Dataset read_folder(const std::filesystem::path& folder, const LoadOptions& options);  // folder.cpp

// Whether --label names a file of labels, not a column. arrays.cpp
bool is_label_file(const std::string& label);

// The labels and the split of rows that are read by parts, from the texts of their label column or,
// where there are none, from the file that `options` name: the features have a shape, and no
// numbers. arrays.cpp
Dataset labels_of_rows(const std::filesystem::path& path, int64_t rows, int64_t cols,
                       const std::vector<std::string>& labels, const LoadOptions& options);

// The extension whose reader a file needs: by its name, or by the format that the user names
// (kUsage where there is none). readers.cpp
std::string reader_extension(const std::filesystem::path& path, const std::string& format);

// The same for a stream, which may have no extension: text with commas. readers.cpp
std::string stream_extension(const std::filesystem::path& path, const std::string& format);

// meta.json of a folder; a card with only the folder's name if there is none. folder.cpp
DatasetCard read_card(const std::filesystem::path& folder);

// Reads the edges between the dataset's rows into its graph. edge_list.cpp
void read_graph(Dataset& dataset, const std::filesystem::path& path);

// Reads one split of the dataset's rows. split.cpp
Split read_split(const Dataset& dataset, const std::filesystem::path& path);

// The split stored as train<suffix>, val<suffix> and test<suffix>. Without val nothing validates;
// without test every other labelled row tests. split.cpp
Split read_npz_split(const Npz& npz, const Dataset& dataset, const std::string& suffix);

// Matrix Market files (.mtx): coordinate or array, real, integer or pattern.

// The matrix as features, sparse if its file is in coordinates. Entries given twice are added.
Features read_mtx(const std::filesystem::path& path);

// Rows of svmlight and libsvm files: "LABEL NUMBER:VALUE NUMBER:VALUE ... # remark".

struct SvmlightRow {
  std::string label;                 // a whole number is written as one: "1" for +1; "" if unknown
  std::vector<SparseEntry> entries;  // columns as numbered in the file
};

// Reads a line into a row; false where it has none. kData where it is wrong, at `place`.
bool parse_svmlight(std::string_view line, const std::function<Place()>& place, SvmlightRow& row);

class SvmlightRows {
 public:
  explicit SvmlightRows(const std::filesystem::path& path) : lines_(path) {}

  // False at the end. Numbers must rise within a row.
  bool next(SvmlightRow& row);

  Place place() const { return {lines_.path(), lines_.line()}; }
  double part_read() const { return lines_.part_read(); }

 private:
  LineReader lines_;
};

}  // namespace glgnn
