// Similarities of chosen pairs of selected rows: s_e = Z_i . Z_j, Z = [labels, X * s], where Z is
// never made.
//
// x N x F without a gradient, s F, labels N x C (C may be 0), one number for each entry e = (i, j)
// of a pattern:
//   s_e = labels_i . labels_j + sum_f s_f^2 x_if x_jf
// Backward: d_s_f += 2 s_f sum_i x_if sum_j d_s_ij x_jf. Nothing is saved; Z and its gradient would
// be N x (C + F) numbers each for every module. Cost O(nnz F).
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

namespace glgnn {

// Rows [labels, X * s].
template <class T>
struct ZSelected {
  MatView<const T> x;
  const T* s;
  MatView<const T> labels;
};

namespace ref {

template <class T>
void selected_dot_forward(T* dots, PatternView pattern, const ZSelected<T>& z);
template <class T>
void selected_dot_backward(T* d_s, const T* d_dots, PatternView pattern, const ZSelected<T>& z);

}  // namespace ref

namespace cpu {

void selected_dot_forward(float* dots, PatternView pattern, const ZSelected<float>& z, int threads);
void selected_dot_backward(float* d_s, const float* d_dots, PatternView pattern,
                           const ZSelected<float>& z, int threads);

}  // namespace cpu
}  // namespace glgnn
