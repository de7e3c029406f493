#include "kernels/edge_dot.h"

namespace glgnn::ref {
namespace {

// Dot product of two sparse rows, columns ascending in both.
template <class T>
T sparse_dot(const ZSparse<T>& z, int64_t i, int64_t j) {
  T sum = 0;
  int64_t a = z.pattern.row_ptr[i], b = z.pattern.row_ptr[j];
  while (a < z.pattern.row_ptr[i + 1] && b < z.pattern.row_ptr[j + 1]) {
    const int32_t column_a = z.pattern.col[a], column_b = z.pattern.col[b];
    if (column_a == column_b) sum += z.values[a] * z.values[b];
    a += column_a <= column_b;
    b += column_b <= column_a;
  }
  return sum;
}

// d_z of row i += weight * Z_j, where row i has an entry.
template <class T>
void sparse_axpy(T* d_z, T weight, const ZSparse<T>& z, int64_t i, int64_t j) {
  int64_t a = z.pattern.row_ptr[i], b = z.pattern.row_ptr[j];
  while (a < z.pattern.row_ptr[i + 1] && b < z.pattern.row_ptr[j + 1]) {
    const int32_t column_a = z.pattern.col[a], column_b = z.pattern.col[b];
    if (column_a == column_b) d_z[a] += weight * z.values[b];
    a += column_a <= column_b;
    b += column_b <= column_a;
  }
}

template <class T>
void dense_axpy(MatView<T> d_z, T weight, const ZDense<T>& z, int64_t i, int64_t j) {
  for (int64_t f = 0; f < z.z.cols; ++f) d_z[i][f] += weight * z.z[j][f];
}

// Calls axpy(weight, i, j) for all that row i receives: its own entries, then the transposed ones.
template <class T, class Axpy>
void for_each_pull(const T* d_s, PatternView pattern, const TransposeView& transposed,
                   Axpy&& axpy) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      axpy(d_s[e], i, pattern.col[e]);
    }
    for (int64_t q = transposed.pattern.row_ptr[i]; q < transposed.pattern.row_ptr[i + 1]; ++q) {
      axpy(d_s[transposed.source[q]], i, transposed.pattern.col[q]);
    }
  }
}

}  // namespace

template <class T>
void edge_dot_forward(T* s, PatternView pattern, const ZDense<T>& z) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      s[e] = 0;
      for (int64_t f = 0; f < z.z.cols; ++f) s[e] += z.z[i][f] * z.z[pattern.col[e]][f];
    }
  }
}

template <class T>
void edge_dot_forward(T* s, PatternView pattern, const ZSparse<T>& z) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      s[e] = sparse_dot(z, i, pattern.col[e]);
    }
  }
}

template <class T>
void edge_dot_backward(MatView<T> d_z, const T* d_s, PatternView pattern,
                       const TransposeView& transposed, const ZDense<T>& z) {
  for_each_pull(d_s, pattern, transposed,
                [&](T weight, int64_t i, int64_t j) { dense_axpy(d_z, weight, z, i, j); });
}

template <class T>
void edge_dot_backward(T* d_z, const T* d_s, PatternView pattern, const TransposeView& transposed,
                       const ZSparse<T>& z) {
  for_each_pull(d_s, pattern, transposed,
                [&](T weight, int64_t i, int64_t j) { sparse_axpy(d_z, weight, z, i, j); });
}

#define GLGNN_INSTANTIATE(T)                                                               \
  template void edge_dot_forward(T*, PatternView, const ZDense<T>&);                       \
  template void edge_dot_forward(T*, PatternView, const ZSparse<T>&);                      \
  template void edge_dot_backward(MatView<T>, const T*, PatternView, const TransposeView&, \
                                  const ZDense<T>&);                                       \
  template void edge_dot_backward(T*, const T*, PatternView, const TransposeView&,         \
                                  const ZSparse<T>&);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
