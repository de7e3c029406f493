#include "kernels/feature_select.h"

namespace glgnn::ref {

template <class T>
void feature_select_forward(MatView<T> z, MatView<const T> x, const T* s, MatView<const T> labels) {
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t c = 0; c < labels.cols; ++c) z[i][c] = labels[i][c];
    for (int64_t f = 0; f < x.cols; ++f) z[i][labels.cols + f] = x[i][f] * s[f];
  }
}

template <class T>
void feature_select_backward(T* d_s, MatView<const T> d_z, MatView<const T> x) {
  const int64_t label_cols = d_z.cols - x.cols;
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t f = 0; f < x.cols; ++f) d_s[f] += d_z[i][label_cols + f] * x[i][f];
  }
}

template <class T>
void feature_select_sparse_forward(T* z, PatternView pattern, const T* xl, const T* s,
                                   int64_t label_cols) {
  for (int64_t e = 0; e < pattern.nnz(); ++e) {
    const int64_t column = pattern.col[e];
    z[e] = column < label_cols ? xl[e] : xl[e] * s[column - label_cols];
  }
}

template <class T>
void feature_select_sparse_backward(T* d_s, const T* d_z, PatternView pattern, const T* xl,
                                    int64_t label_cols) {
  for (int64_t e = 0; e < pattern.nnz(); ++e) {
    const int64_t column = pattern.col[e];
    if (column >= label_cols) d_s[column - label_cols] += d_z[e] * xl[e];
  }
}

template <class T>
void concat_forward(MatView<T> z, MatView<const T> labels, MatView<const T> x) {
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t c = 0; c < labels.cols; ++c) z[i][c] = labels[i][c];
    for (int64_t f = 0; f < x.cols; ++f) z[i][labels.cols + f] = x[i][f];
  }
}

template <class T>
void concat_backward(MatView<T> d_x, MatView<const T> d_z) {
  const int64_t label_cols = d_z.cols - d_x.cols;
  for (int64_t i = 0; i < d_x.rows; ++i) {
    for (int64_t f = 0; f < d_x.cols; ++f) d_x[i][f] += d_z[i][label_cols + f];
  }
}

#define GLGNN_INSTANTIATE(T)                                                                      \
  template void feature_select_forward(MatView<T>, MatView<const T>, const T*, MatView<const T>); \
  template void feature_select_backward(T*, MatView<const T>, MatView<const T>);                  \
  template void concat_forward(MatView<T>, MatView<const T>, MatView<const T>);                   \
  template void concat_backward(MatView<T>, MatView<const T>);                                    \
  template void feature_select_sparse_forward(T*, PatternView, const T*, const T*, int64_t);      \
  template void feature_select_sparse_backward(T*, const T*, PatternView, const T*, int64_t);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
