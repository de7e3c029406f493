// The first layer's product with its dropout: y = drop(x) w, drop(x) never in memory as a whole.
//
// x N x F without a gradient, w F x H, y N x H; drop as in dropout.h. Backward: d_w += drop(x)^T
// d_y, the same numbers being drawn again. Nothing is saved: x is dropped a block of rows at a
// time, so that the memory beside x does not grow with N. Cost O(N F H).
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>

#include "core/rng.h"

namespace glgnn {
namespace ref {

template <class T>
void dropout_linear_forward(MatView<T> y, MatView<const T> x, MatView<const T> w, T rate,
                            const Rng& rng);
template <class T>
void dropout_linear_backward(MatView<T> d_w, MatView<const T> d_y, MatView<const T> x, T rate,
                             const Rng& rng);

}  // namespace ref

namespace cpu {

// Rows that are dropped at a time; the blocks depend on the columns alone, so do the bits.
int64_t dropout_block_rows(int64_t cols);

void dropout_linear_forward(MatView<float> y, MatView<const float> x, MatView<const float> w,
                            float rate, const Rng& rng, int threads);
void dropout_linear_backward(MatView<float> d_w, MatView<const float> d_y, MatView<const float> x,
                             float rate, const Rng& rng, int threads);

}  // namespace cpu
}  // namespace glgnn
