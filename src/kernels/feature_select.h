// Feature selection with labels as features: Z = [L, X * s], column f of X scaled by s_f.
//
// Dense: x N x F, labels N x C (lambda y where shown, else 0; C may be 0), z N x (C + F).
// Sparse: z and xl share one pattern of C + F columns; xl holds the labels' part in columns < C and
// X in the rest, so that z_e = xl_e for a label column and xl_e * s[column - C] for a feature.
// concat: z = [labels, x] for x with a gradient; backward d_x += the columns of d_z from C on.
// Backward: d_s[f] += sum_i d_z[i, C + f] x[i, f]. Nothing is saved. Cost O(N F), O(nnz).
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

namespace glgnn::ref {

template <class T>
void feature_select_forward(MatView<T> z, MatView<const T> x, const T* s, MatView<const T> labels);
template <class T>
void feature_select_backward(T* d_s, MatView<const T> d_z, MatView<const T> x);

template <class T>
void feature_select_sparse_forward(T* z, PatternView pattern, const T* xl, const T* s,
                                   int64_t label_cols);
template <class T>
void feature_select_sparse_backward(T* d_s, const T* d_z, PatternView pattern, const T* xl,
                                    int64_t label_cols);

template <class T>
void concat_forward(MatView<T> z, MatView<const T> labels, MatView<const T> x);
template <class T>
void concat_backward(MatView<T> d_x, MatView<const T> d_z);

}  // namespace glgnn::ref
