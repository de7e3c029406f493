// Similarities of chosen pairs only: s_e = Z_i . Z_j for every entry e = (i, j) of a pattern.
//
// Z is N x D, dense or sparse (graph_learn.h). Nothing is saved.
// Backward: d_Z_i += sum_j d_s_ij Z_j + sum_j d_s_ji Z_j; the second sum runs over the transposed
// pattern, so that each row is written by one thread. Sparse Z: only where Z has an entry.
// Cost O(nnz D), or O(nnz times the entries of a row of Z).
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include "kernels/graph_learn.h"
#include "kernels/transpose.h"

namespace glgnn {
namespace ref {

template <class T>
void edge_dot_forward(T* s, PatternView pattern, const ZDense<T>& z);
template <class T>
void edge_dot_forward(T* s, PatternView pattern, const ZSparse<T>& z);
template <class T>
void edge_dot_backward(MatView<T> d_z, const T* d_s, PatternView pattern,
                       const TransposeView& transposed, const ZDense<T>& z);
template <class T>
void edge_dot_backward(T* d_z, const T* d_s, PatternView pattern, const TransposeView& transposed,
                       const ZSparse<T>& z);

}  // namespace ref

namespace cpu {

void edge_dot_forward(float* s, PatternView pattern, const ZDense<float>& z, int threads);
void edge_dot_forward(float* s, PatternView pattern, const ZSparse<float>& z, int threads);
void edge_dot_backward(MatView<float> d_z, const float* d_s, PatternView pattern,
                       const TransposeView& transposed, const ZDense<float>& z, int threads);
void edge_dot_backward(float* d_z, const float* d_s, PatternView pattern,
                       const TransposeView& transposed, const ZSparse<float>& z, int threads);

}  // namespace cpu
}  // namespace glgnn
