// Sparse times dense: y = A x, A given by a pattern and its values; x is cols x H, y is rows x H.
//
// Backward: d_values_e += d_y_i . x_j for e = (i, j), and d_x += A^T d_y over the transposed
// pattern, so that every row is written by one thread. Nothing is saved. Cost O(nnz H).
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include "kernels/transpose.h"

namespace glgnn {
namespace ref {

template <class T>
void spmm_forward(MatView<T> y, PatternView pattern, const T* values, MatView<const T> x);
template <class T>
void spmm_backward_values(T* d_values, PatternView pattern, MatView<const T> d_y,
                          MatView<const T> x);
template <class T>
void spmm_backward_x(MatView<T> d_x, const TransposeView& transposed, const T* values,
                     MatView<const T> d_y);

}  // namespace ref

namespace cpu {

void spmm_forward(MatView<float> y, PatternView pattern, const float* values,
                  MatView<const float> x, int threads);
void spmm_backward_values(float* d_values, PatternView pattern, MatView<const float> d_y,
                          MatView<const float> x, int threads);
void spmm_backward_x(MatView<float> d_x, const TransposeView& transposed, const float* values,
                     MatView<const float> d_y, int threads);

}  // namespace cpu
}  // namespace glgnn
