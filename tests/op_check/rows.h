// Z, the rows that graph_learn and edge_dot compare, in its two forms.
#pragma once

#include <memory>
#include <vector>

#include "kernels/graph_learn.h"
#include "kernels/transpose.h"
#include "make.h"

namespace glgnn::op_check {

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
