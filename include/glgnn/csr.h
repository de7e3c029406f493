// Sparse matrices in compressed rows. The pattern (where) is apart from the values (how much),
// because several matrices share one pattern and because gradients flow through values only.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace glgnn {

// A view of a pattern: the columns of row i are col[row_ptr[i]] .. col[row_ptr[i + 1] - 1],
// ascending.
struct PatternView {
  int64_t rows = 0;
  int64_t cols = 0;
  const int64_t* row_ptr = nullptr;
  const int32_t* col = nullptr;

  int64_t nnz() const { return rows == 0 ? 0 : row_ptr[rows]; }  // entries of all rows
  int64_t row_size(int64_t row) const { return row_ptr[row + 1] - row_ptr[row]; }  // its entries
};

// Where the entries of a matrix are; PatternView says how it is laid out.
struct Pattern {
  int64_t rows = 0;
  int64_t cols = 0;
  std::vector<int64_t> row_ptr{0};
  std::vector<int32_t> col;

  int64_t nnz() const { return static_cast<int64_t>(col.size()); }  // entries of all rows
  PatternView view() const { return {rows, cols, row_ptr.data(), col.data()}; }  // of this
};

// A pattern that several matrices share; it does not change any more.
using SharedPattern = std::shared_ptr<const Pattern>;

// A sparse matrix: a pattern and its values.
struct Csr {
  SharedPattern pattern = std::make_shared<Pattern>();
  std::vector<float> values;  // one for each entry of the pattern

  int64_t rows() const { return pattern->rows; }  // of the matrix
  int64_t cols() const { return pattern->cols; }  // of the matrix
  int64_t nnz() const { return pattern->nnz(); }  // entries of all rows
};

}  // namespace glgnn
