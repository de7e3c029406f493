// What cases are made of: numbers and patterns, the same on every machine.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/edges.h"
#include "kernels/graph_learn.h"

namespace glgnn::op_check {

// n numbers between low and high; every number made here is a float.
std::vector<double> uniform(uint64_t seed, int64_t n, double low = -1, double high = 1);

// n numbers of either sign, between 0.1 and 1 in size.
std::vector<double> away_from_zero(uint64_t seed, int64_t n);

// n whole numbers low .. high: their sums of products are exact in any order.
std::vector<double> whole_numbers(uint64_t seed, int64_t n, int64_t low, int64_t high);

// Sets row `to` of `values`, rows of `cols` numbers, to row `from`.
void copy_row(std::vector<double>& values, int64_t cols, int64_t to, int64_t from);

// About per_row entries in each row; rows 3, 8, 13, ... have none.
SharedPattern random_pattern(uint64_t seed, int64_t rows, int64_t cols, int64_t per_row);

// The same without the diagonal.
SharedPattern random_graph(uint64_t seed, int64_t n, int64_t per_row);

// No entry at all.
SharedPattern empty_pattern(int64_t rows, int64_t cols);

// Every entry.
SharedPattern full_pattern(int64_t rows, int64_t cols);

// Values for a pattern, 0.2 .. 0.4 or 0.6 .. 0.9: entries (i, j) of side 0 and side 1 never lie in
// the same range, and nor do (i, j) and (j, i) of one side unless i = j.
std::vector<double> apart(uint64_t seed, PatternView pattern, int side);

// row_ptr of a dense matrix.
std::vector<int64_t> dense_row_ptr(int64_t rows, int64_t cols);

// Where (i, j) is in the pattern, or -1; by looking at every entry of the row.
int64_t find_entry(PatternView pattern, int64_t i, int64_t j);

template <class T>
MatView<T> view(std::vector<T>& values, int64_t rows, int64_t cols) {
  return {values.data(), rows, cols};
}

template <class T>
MatView<const T> view(const std::vector<T>& values, int64_t rows, int64_t cols) {
  return {values.data(), rows, cols};
}

// Z, the rows that graph_learn and edge_dot compare, in its two forms.

// How kernels take the numbers of Z and of its gradient, and Z as a dense matrix for brute force.
struct DenseRows {
  int64_t n, d;

  int64_t rows() const { return n; }
  int64_t cols() const { return d; }
  int64_t size() const { return n * d; }
  double all_pairs_flops() const { return 2.0 * n * n * d; }
  template <class T>
  ZDense<T> z(const std::vector<T>& values) const {
    return {view(values, n, d)};
  }
  template <class T>
  MatView<T> gradient(std::vector<T>& d_z) const {
    return view(d_z, n, d);
  }
  template <class T>
  std::vector<double> as_dense(const std::vector<T>& values) const {
    return {values.begin(), values.end()};
  }
};

struct SparseRows {
  SharedPattern pattern;
  std::shared_ptr<const Transpose> transposed;

  explicit SparseRows(SharedPattern p)
      : pattern(p), transposed(std::make_shared<Transpose>(transpose(p->view()))) {}
  int64_t rows() const { return pattern->rows; }
  int64_t cols() const { return pattern->cols; }
  int64_t size() const { return pattern->nnz(); }
  double all_pairs_flops() const {
    double sum = 0;
    for (int64_t f = 0; f < cols(); ++f) {
      const double with_f = static_cast<double>(transposed->pattern.view().row_size(f));
      sum += 2 * with_f * with_f;
    }
    return sum;
  }
  template <class T>
  ZSparse<T> z(const std::vector<T>& values) const {
    return {pattern->view(), values.data(), transposed->pattern.view(), transposed->source.data()};
  }
  template <class T>
  T* gradient(std::vector<T>& d_z) const {
    return d_z.data();
  }
  template <class T>
  std::vector<double> as_dense(const std::vector<T>& values) const {
    std::vector<double> out(rows() * cols(), 0.0);
    for (int64_t i = 0; i < rows(); ++i) {
      for (int64_t e = pattern->row_ptr[i]; e < pattern->row_ptr[i + 1]; ++e) {
        out[i * cols() + pattern->col[e]] = values[e];
      }
    }
    return out;
  }
};

inline double dot(const std::vector<double>& z, int64_t cols, int64_t i, int64_t j) {
  double sum = 0;
  for (int64_t f = 0; f < cols; ++f) sum += z[i * cols + f] * z[j * cols + f];
  return sum;
}

}  // namespace glgnn::op_check
