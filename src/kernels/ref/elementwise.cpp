#include "kernels/elementwise.h"

#include <cmath>

namespace glgnn::ref {

template <class T>
void relu_forward(T* y, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : T(0);
}

template <class T>
void relu_backward(T* d_x, const T* d_y, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const T pulled =
        d_y[i];  // read whether it counts or not: no branch, which is often mispredicted
    d_x[i] += x[i] > 0 ? pulled : T(0);
  }
}

template <class T>
void softplus_forward(T* y, const T* x, int64_t n) {
  // The larger of 0 and x is taken out, so that exp never overflows.
  for (int64_t i = 0; i < n; ++i) {
    y[i] = (x[i] > 0 ? x[i] : T(0)) + std::log1p(std::exp(-std::abs(x[i])));
  }
}

template <class T>
void softplus_backward(T* d_x, const T* d_y, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d_x[i] += d_y[i] / (T(1) + std::exp(-x[i]));
}

template <class T>
void multiply_forward(T* y, const T* a, const T* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] * b[i];
}

template <class T>
void multiply_backward(T* d_x, const T* d_y, const T* other, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d_x[i] += d_y[i] * other[i];
}

template <class T>
void scale_forward(T* y, const T* x, int64_t n, T factor) {
  for (int64_t i = 0; i < n; ++i) y[i] = factor * x[i];
}

template <class T>
void scale_backward(T* d_x, const T* d_y, int64_t n, T factor) {
  for (int64_t i = 0; i < n; ++i) d_x[i] += factor * d_y[i];
}

template <class T>
void scale_rows_forward(MatView<T> y, MatView<const T> x, const T* s) {
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t h = 0; h < x.cols; ++h) y[i][h] = s[i] * x[i][h];
  }
}

template <class T>
void scale_rows_backward(MatView<T> d_x, T* d_s, MatView<const T> d_y, MatView<const T> x,
                         const T* s) {
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t h = 0; h < x.cols; ++h) {
      d_x[i][h] += s[i] * d_y[i][h];
      d_s[i] += x[i][h] * d_y[i][h];
    }
  }
}

#define GLGNN_INSTANTIATE(T)                                                \
  template void relu_forward(T*, const T*, int64_t);                        \
  template void relu_backward(T*, const T*, const T*, int64_t);             \
  template void softplus_forward(T*, const T*, int64_t);                    \
  template void softplus_backward(T*, const T*, const T*, int64_t);         \
  template void multiply_forward(T*, const T*, const T*, int64_t);          \
  template void multiply_backward(T*, const T*, const T*, int64_t);         \
  template void scale_forward(T*, const T*, int64_t, T);                    \
  template void scale_backward(T*, const T*, int64_t, T);                   \
  template void scale_rows_forward(MatView<T>, MatView<const T>, const T*); \
  template void scale_rows_backward(MatView<T>, T*, MatView<const T>, MatView<const T>, const T*);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
