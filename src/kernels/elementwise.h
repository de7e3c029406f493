// Operations on single numbers. Each backward adds to d_x; cost O(n).
//
// relu      y = max(x, 0)            d_x += d_y where x > 0
// softplus  y = log(1 + exp x)       d_x += d_y / (1 + exp(-x))
// multiply  y = a b                  d_a += d_y b, d_b += d_y a
// scale     y = factor x              d_x += factor d_y
// scale_rows  y_i = s_i x_i (row i)  d_x_i += s_i d_y_i, d_s_i += x_i . d_y_i
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>

namespace glgnn::ref {

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

}  // namespace glgnn::ref
