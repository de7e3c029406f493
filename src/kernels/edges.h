// Sparse patterns and the numbers of their entries: similarities, probabilities, products.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <vector>

#include "kernels/graph_learn.h"

namespace glgnn {

// The transposed pattern, and where each of its entries comes from.

struct TransposeView {
  PatternView pattern;    // cols x rows of the original
  const int64_t* source;  // entry of the original for each entry of `pattern`
};

struct Transpose {
  Pattern pattern;
  std::vector<int64_t> source;
  TransposeView view() const { return {pattern.view(), source.data()}; }
};

// By counting; columns ascend in each row. Cost O(nnz + rows + cols).
Transpose transpose(PatternView pattern, int threads = 1);

// Similarities of chosen pairs only: s_e = Z_i . Z_j for every entry e = (i, j) of a pattern.
//
// Z is N x D, dense or sparse (graph_learn.h). Nothing is saved.
// Backward: d_Z_i += sum_j d_s_ij Z_j + sum_j d_s_ji Z_j; the second sum runs over the transposed
// pattern, so that each row is written by one thread. Sparse Z: only where Z has an entry.
// Cost O(nnz D), or O(nnz times the entries of a row of Z).

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

// edge_dot on sparse rows for a pattern that stays while the values of Z change: where the two rows
// of each pair have a column in common is found once.
//
// The same numbers as edge_dot above, to the bit. Saved: 8 bytes for each common
// column of each pair. Cost O(common columns), against O(nnz times the entries of a row of Z).

// Pair e has the common columns ptr[e] .. ptr[e + 1] - 1: entry `left` of its row i, counted from
// the row's first, and entry `right` of its row j.
struct SharedColumns {
  std::vector<int64_t> ptr;
  std::vector<int32_t> left, right;
};
SharedColumns find_shared_columns(PatternView pairs, PatternView rows, int threads);

namespace cpu {

void edge_dot_forward(float* s, PatternView pairs, const SharedColumns& shared, PatternView rows,
                      const float* values, int threads);
void edge_dot_backward(float* d_values, const float* d_s, PatternView pairs,
                       const TransposeView& transposed, const SharedColumns& shared,
                       PatternView rows, const float* values, int threads);

}  // namespace cpu

// Edge probabilities from edge similarities; both forms act on the values of a pattern.
//
// edge_exp      p_e = exp(s_e - lse_i): the softmax over ALL pairs of row i (lse from graph_learn)
//   backward    d_s_e += d_p_e p_e;  d_lse_i -= sum over row i of d_p_e p_e
// edge_softmax  p_e = exp(s_e) / sum over row i of exp(s): over the kept pairs only
//   backward    d_s_e += p_e (d_p_e - sum over row i of d_p p)
// Saved: p. Cost O(nnz).

namespace ref {

template <class T>
void edge_exp_forward(T* p, const T* s, const T* lse, const int64_t* row_ptr, int64_t rows);
template <class T>
void edge_exp_backward(T* d_s, T* d_lse, const T* d_p, const T* p, const int64_t* row_ptr,
                       int64_t rows);
template <class T>
void edge_softmax_forward(T* p, const T* s, const int64_t* row_ptr, int64_t rows);
template <class T>
void edge_softmax_backward(T* d_s, const T* d_p, const T* p, const int64_t* row_ptr, int64_t rows);

// Sparse times dense: y = A x, A given by a pattern and its values; x is cols x H, y is rows x H.
//
// Backward: d_values_e += d_y_i . x_j for e = (i, j), and d_x += A^T d_y over the transposed
// pattern, so that every row is written by one thread. Nothing is saved. Cost O(nnz H).
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

// Similarities of chosen pairs of selected rows: s_e = Z_i . Z_j, Z = [labels, X * s], where Z is
// never made.
//
// x N x F without a gradient, s F, labels N x C (C may be 0), one number for each entry e = (i, j)
// of a pattern:
//   s_e = labels_i . labels_j + sum_f s_f^2 x_if x_jf
// Backward: d_s_f += 2 s_f sum_i x_if sum_j d_s_ij x_jf. Nothing is saved; Z and its gradient would
// be N x (C + F) numbers each for every module. Cost O(nnz F).

// Rows [labels, X * s]. The columns of a pattern are these rows, or others of the same kind (those
// of another process).
template <class T>
struct ZSelected {
  MatView<const T> x;
  const T* s;
  MatView<const T> labels;
  MatView<const T> other_x = x, other_labels = labels;
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

// Feature selection with labels as features: Z = [L, X * s], column f of X scaled by s_f.
//
// Dense: x N x F, labels N x C (lambda y where shown, else 0; C may be 0), z N x (C + F).
// Sparse: z and xl share one pattern of C + F columns; xl holds the labels' part in columns < C and
// X in the rest, so that z_e = xl_e for a label column and xl_e * s[column - C] for a feature.
// concat: z = [labels, x] for x with a gradient; backward d_x += the columns of d_z from C on.
// Backward: d_s[f] += sum_i d_z[i, C + f] x[i, f]. Nothing is saved. Cost O(N F), O(nnz).

namespace ref {

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

}  // namespace ref
}  // namespace glgnn
