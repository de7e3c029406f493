// y = x + b, the 1 x C row b added to every row. Backward: d_x += d_y, d_b += column sums of d_y
// (in double). Cost O(N C).
#pragma once

#include <glgnn/matrix.h>

namespace glgnn::ref {

template <class T>
void add_bias_forward(MatView<T> y, MatView<const T> x, const T* b);
// d_x may be null.
template <class T>
void add_bias_backward(T* d_x, T* d_b, MatView<const T> d_y);

}  // namespace glgnn::ref
