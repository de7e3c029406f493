// Everything read from a user's files: features, labels, an optional graph, and splits.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>
#include <glgnn/table.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace glgnn {

// N rows of F features, either dense or sparse (then `dense` is empty).
struct Features {
  Matrix dense;
  Csr sparse;
  bool is_sparse = false;
  std::vector<IndicatorBlock> indicators{};  // empty: every column is a number
  std::vector<float> row_size{};             // by which scaling divided each row; empty: by nothing

  int64_t rows() const { return is_sparse ? sparse.rows() : dense.rows(); }  // N
  int64_t cols() const { return is_sparse ? sparse.cols() : dense.cols(); }  // F
};

// Row numbers; `test` is never seen by fit().
struct Split {
  std::vector<int32_t> train, val, test;
  bool val_is_drawn = false;  // `val` was drawn from the labelled rows and could be others
};

// What a reader found.
struct Dataset {
  std::string name;
  Features features;
  std::vector<int32_t> labels;             // class number, -1 where unknown
  std::vector<std::string> class_names;    // one per class
  std::vector<std::string> feature_names;  // one per column
  std::vector<std::string> row_ids;        // one per row, or empty: row numbers are the ids
  Csr graph;                               // symmetric, no self-loops; used if has_graph
  bool has_graph = false;
  std::vector<Split> splits;      // as shipped or given; may be empty
  bool splits_are_seeds = false;  // one public split: runs differ by seed only
  std::string scaling;            // the preparation the data's publishers use, or empty
  int64_t paper_k = 0;            // the paper's k and epochs for this set, 0 where it has none
  int64_t paper_epochs = 0;
  std::vector<std::string> notes;  // what the reader found and did, one sentence each
  TablePlan plan;                  // how the file's columns became the features

  int64_t rows() const { return features.rows(); }                              // N
  int64_t classes() const { return static_cast<int64_t>(class_names.size()); }  // C
};

// The labels of the given rows, -1 everywhere else: what fit() may see.
std::vector<int32_t> reveal_labels(std::span<const int32_t> labels, std::span<const int32_t> rows);

}  // namespace glgnn
