// What a network of attention is made of (modules/prior_network.h). It is trained elsewhere and
// only asked here, so nothing of this has a backward.
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>

namespace glgnn {

// row_products: y = x w, N x K and K x M. What comes of a row has the same bits whatever rows are
// beside it, which BLAS does not promise. Cost O(N K M).
//
// layer_norm: y = (x - mean) / sqrt(variance + 1e-5) * gain + offset, of each row of x. N x d; gain
// and offset have d numbers. Cost O(N d).
//
// gelu: in place x = u / (1 + exp(-2 sqrt(2 / pi) (u + 0.044715 u^3))) with u = x + offset, the
// offset of d numbers added to every row. Cost O(N d).
//
// attend: each row of q listens to all rows of k, in each head with its own part of the columns,
//   out_i = sum_j softmax_j(q_i . k_j / sqrt(d / heads)) v_j
// q and out N x d, v M x d, and k transposed: d x M. Cost O(N M d).

namespace ref {

template <class T>
void row_products(MatView<T> y, MatView<const T> x, MatView<const T> w);
template <class T>
void layer_norm(MatView<T> y, MatView<const T> x, const T* gain, const T* offset);
template <class T>
void gelu(MatView<T> x, const T* offset);
template <class T>
void attend(MatView<T> out, MatView<const T> q, MatView<const T> k_transposed, MatView<const T> v,
            int64_t heads);

}  // namespace ref

namespace cpu {

// Each in the thread that calls.
void row_products(MatView<float> y, MatView<const float> x, MatView<const float> w);
void layer_norm(MatView<float> y, MatView<const float> x, const float* gain, const float* offset);
void gelu(MatView<float> x, const float* offset);
void attend(MatView<float> out, MatView<const float> q, MatView<const float> k_transposed,
            MatView<const float> v, int64_t heads);

}  // namespace cpu

}  // namespace glgnn
