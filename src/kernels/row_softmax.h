// Softmax of each row: p_i = exp(x_i) / sum exp(x_i). Saved: p. Cost O(N C).
//
// Backward: d_x += p (d_p - sum over the row of d_p p).
#pragma once

#include <glgnn/matrix.h>

namespace glgnn::ref {

template <class T>
void row_softmax_forward(MatView<T> p, MatView<const T> x);
template <class T>
void row_softmax_backward(MatView<T> d_x, MatView<const T> d_p, MatView<const T> p);

}  // namespace glgnn::ref
