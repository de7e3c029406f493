// Edge probabilities from edge similarities; both forms act on the values of a pattern.
//
// edge_exp      p_e = exp(s_e - lse_i): the softmax over ALL pairs of row i (lse from graph_learn)
//   backward    d_s_e += d_p_e p_e;  d_lse_i -= sum over row i of d_p_e p_e
// edge_softmax  p_e = exp(s_e) / sum over row i of exp(s): over the kept pairs only
//   backward    d_s_e += p_e (d_p_e - sum over row i of d_p p)
// Saved: p. Cost O(nnz).
#pragma once

#include <cstdint>

namespace glgnn::ref {

template <class T>
void edge_exp_forward(T* p, const T* s, const T* lse, const int64_t* row_ptr, int64_t rows);
template <class T>
void edge_exp_backward(T* d_s, T* d_lse, const T* d_p, const T* p, const int64_t* row_ptr,
                       int64_t rows);
template <class T>
void edge_softmax_forward(T* p, const T* s, const int64_t* row_ptr, int64_t rows);
template <class T>
void edge_softmax_backward(T* d_s, const T* d_p, const T* p, const int64_t* row_ptr, int64_t rows);

}  // namespace glgnn::ref
