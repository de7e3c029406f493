// Dense matrices and lists of numbers: products, single numbers, rows, and a step of Adam.
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace glgnn {

// Dense products: c = op(a) op(b), or c += op(a) op(b); op transposes where asked.
//
// The backward of y = x w is two more of them: d_x += d_y w^T and d_w += x^T d_y. Cost O(m n k).
struct GemmOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;  // c += instead of c =
};

namespace ref {

template <class T>
void gemm(MatView<T> c, MatView<const T> a, MatView<const T> b, GemmOptions options);

// a, which is symmetric and positive, becomes its inverse; the logarithm of the root of its
// determinant. One that is not positive becomes NaN. Cost O(n^3).
double invert(MatView<double> a);

}  // namespace ref

namespace cpu {

// BLAS on fixed blocks of c, so that the bits do not depend on the threads.
void gemm(MatView<float> c, MatView<const float> a, MatView<const float> b, GemmOptions options,
          int threads);
void gemm(MatView<double> c, MatView<const double> a, MatView<const double> b, GemmOptions options,
          int threads);
double invert(MatView<double> a);

}  // namespace cpu

namespace cuda {

// Logits by likeness to landmarks, x linear + offset + K links, with
//   K_it = exp(-1/2 |weights * (x_i - landmark_t)|^2)
struct CurvedHead {
  MatView<const float> landmarks;
  const float* weights;  // of each column
  MatView<const float> links, linear;
  const float* offset;  // of each class
};

// Of each column its mean, and the mean square of what its numbers differ from that; of all numbers
// the largest size.
struct ColumnMoments {
  std::vector<double> mean, variance;
  float largest = 0;
};

// A matrix on the device, for as many products as are wanted.
class HeldMatrix {
 public:
  struct Arrays;
  explicit HeldMatrix(MatView<const float> x);
  HeldMatrix(HeldMatrix&&) noexcept;
  HeldMatrix& operator=(HeldMatrix&&) noexcept;
  ~HeldMatrix();

  int64_t rows() const;
  int64_t cols() const;
  const Arrays& arrays() const { return *arrays_; }
  // x v, and the softmax of each row of x v + offset; both stay there
  HeldMatrix times(MatView<const float> v) const;
  HeldMatrix softmax_times(MatView<const float> v, const float* offset) const;
  // x^T y; both have as many rows
  Matrix transposed_times(const HeldMatrix& y) const;
  // The sum of each column's squares, in a row.
  Matrix column_squares() const;
  // (x - mean) / spread of every column, in double, and 0 where the spread is 0; it stays there
  HeldMatrix standardised(std::span<const double> mean, std::span<const double> spread) const;
  // How many different rows there are at the least: as many as sums of their numbers' bits.
  int64_t distinct_rows() const;
  ColumnMoments moments() const;
  Matrix logits(const CurvedHead& head) const;
  Matrix to_host() const;

 private:
  explicit HeldMatrix(std::unique_ptr<const Arrays> arrays);

  std::unique_ptr<const Arrays> arrays_;
};

// Soft classes of rows on the device, p: a row for each, a column for each class.
class HeldClasses {
 public:
  explicit HeldClasses(HeldMatrix p) : p_(std::move(p)) {}

  // p^T x
  Matrix sums(const HeldMatrix& x) const { return p_.transposed_times(x); }
  std::vector<double> mass() const;  // of each class
  // Classes that weigh as much as their shares of all, and then rows of sum 1: p_ic = p_ic share_c
  // / mass_c, and shares where a row is 0.
  void match_mass(std::span<const double> shares);
  // Each of these rows has its class alone.
  void set(std::span<const int32_t> rows, std::span<const int32_t> classes);
  Matrix to_host() const { return p_.to_host(); }

 private:
  HeldMatrix p_;
};

}  // namespace cuda

// y = x + b, the 1 x C row b added to every row. Backward: d_x += d_y, d_b += column sums of d_y
// (in double). Cost O(N C).

namespace ref {

template <class T>
void add_bias_forward(MatView<T> y, MatView<const T> x, const T* b);
// d_x may be null.
template <class T>
void add_bias_backward(T* d_x, T* d_b, MatView<const T> d_y);

// Operations on single numbers. Each backward adds to d_x; cost O(n).
//
// relu      y = max(x, 0)            d_x += d_y where x > 0
// softplus  y = log(1 + exp x)       d_x += d_y / (1 + exp(-x))
// multiply  y = a b                  d_a += d_y b, d_b += d_y a
// scale     y = factor x              d_x += factor d_y
// scale_rows  y_i = s_i x_i (row i)  d_x_i += s_i d_y_i, d_s_i += x_i . d_y_i
template <class T>
void relu_forward(T* y, const T* x, int64_t n);
template <class T>
void relu_backward(T* d_x, const T* d_y, const T* x, int64_t n);
template <class T>
void softplus_forward(T* y, const T* x, int64_t n);
template <class T>
void softplus_backward(T* d_x, const T* d_y, const T* x, int64_t n);
template <class T>
void multiply_forward(T* y, const T* a, const T* b, int64_t n);
// d_x += d_y * other: once for each factor.
template <class T>
void multiply_backward(T* d_x, const T* d_y, const T* other, int64_t n);
template <class T>
void scale_forward(T* y, const T* x, int64_t n, T factor);
template <class T>
void scale_backward(T* d_x, const T* d_y, int64_t n, T factor);
template <class T>
void scale_rows_forward(MatView<T> y, MatView<const T> x, const T* s);
template <class T>
void scale_rows_backward(MatView<T> d_x, T* d_s, MatView<const T> d_y, MatView<const T> x,
                         const T* s);

// Softmax of each row: p_i = exp(x_i) / sum exp(x_i). Saved: p. Cost O(N C).
//
// Backward: d_x += p (d_p - sum over the row of d_p p).
template <class T>
void row_softmax_forward(MatView<T> p, MatView<const T> x);
template <class T>
void row_softmax_backward(MatView<T> d_x, MatView<const T> d_p, MatView<const T> p);

// Rows of length `scale`: y_i = scale * x_i / |x_i|; a zero row stays zero and passes no gradient.
//
// Rows are given by row_ptr (row i holds the numbers row_ptr[i] .. row_ptr[i + 1] - 1), which
// serves dense matrices and sparse values alike. Saved: norm, one number a row. Backward: d_x_i +=
// scale / |x_i| * (d_y_i - u (u . d_y_i)), u = x_i / |x_i|. Cost O(numbers).
template <class T>
void unit_rows_forward(T* y, T* norm, const T* x, const int64_t* row_ptr, int64_t rows, T scale);
template <class T>
void unit_rows_backward(T* d_x, const T* d_y, const T* x, const T* norm, const int64_t* row_ptr,
                        int64_t rows, T scale);

// One step of Adam (Kingma and Ba 2015): m and v are running means of the gradient and its square.
//
//   m = 0.9 m + 0.1 g,  v = 0.999 v + 0.001 g^2
//   x -= rate (m / (1 - 0.9^t)) / (sqrt(v / (1 - 0.999^t)) + 1e-8),   t = 1, 2, ...
template <class T>
void adam_step(T* x, T* m, T* v, const T* g, int64_t n, double rate, int64_t t);

}  // namespace ref
}  // namespace glgnn
