#include "kernels/spmm.h"

namespace glgnn::ref {

template <class T>
void spmm_forward(MatView<T> y, PatternView pattern, const T* values, MatView<const T> x) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t h = 0; h < x.cols; ++h) y[i][h] = 0;
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      for (int64_t h = 0; h < x.cols; ++h) y[i][h] += values[e] * x[pattern.col[e]][h];
    }
  }
}

template <class T>
void spmm_backward_values(T* d_values, PatternView pattern, MatView<const T> d_y,
                          MatView<const T> x) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      for (int64_t h = 0; h < x.cols; ++h) d_values[e] += d_y[i][h] * x[pattern.col[e]][h];
    }
  }
}

template <class T>
void spmm_backward_x(MatView<T> d_x, const TransposeView& transposed, const T* values,
                     MatView<const T> d_y) {
  for (int64_t j = 0; j < transposed.pattern.rows; ++j) {
    for (int64_t q = transposed.pattern.row_ptr[j]; q < transposed.pattern.row_ptr[j + 1]; ++q) {
      const T value = values[transposed.source[q]];
      for (int64_t h = 0; h < d_y.cols; ++h) d_x[j][h] += value * d_y[transposed.pattern.col[q]][h];
    }
  }
}

#define GLGNN_INSTANTIATE(T)                                                               \
  template void spmm_forward(MatView<T>, PatternView, const T*, MatView<const T>);         \
  template void spmm_backward_values(T*, PatternView, MatView<const T>, MatView<const T>); \
  template void spmm_backward_x(MatView<T>, const TransposeView&, const T*, MatView<const T>);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
