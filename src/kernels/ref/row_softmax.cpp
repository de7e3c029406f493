#include "kernels/row_softmax.h"

#include <algorithm>
#include <cmath>

namespace glgnn::ref {

template <class T>
void row_softmax_forward(MatView<T> p, MatView<const T> x) {
  for (int64_t i = 0; i < x.rows; ++i) {
    const T top = *std::max_element(x[i], x[i] + x.cols);
    T sum = 0;
    for (int64_t c = 0; c < x.cols; ++c) sum += p[i][c] = std::exp(x[i][c] - top);
    for (int64_t c = 0; c < x.cols; ++c) p[i][c] /= sum;
  }
}

template <class T>
void row_softmax_backward(MatView<T> d_x, MatView<const T> d_p, MatView<const T> p) {
  for (int64_t i = 0; i < p.rows; ++i) {
    T along = 0;
    for (int64_t c = 0; c < p.cols; ++c) along += d_p[i][c] * p[i][c];
    for (int64_t c = 0; c < p.cols; ++c) d_x[i][c] += p[i][c] * (d_p[i][c] - along);
  }
}

#define GLGNN_INSTANTIATE(T)                                       \
  template void row_softmax_forward(MatView<T>, MatView<const T>); \
  template void row_softmax_backward(MatView<T>, MatView<const T>, MatView<const T>);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
