// Dropout by counter: element `index` is kept if its random number is not below `rate`.
//
// y = x * keep / (1 - rate). Backward: d_x += d_y * keep / (1 - rate); the same numbers are drawn
// again, so that nothing is saved. Cost O(n).
#pragma once

#include <cstdint>

#include "core/rng.h"

namespace glgnn {
namespace ref {

template <class T>
void dropout_forward(T* y, const T* x, int64_t n, T rate, const Rng& rng);
template <class T>
void dropout_backward(T* d_x, const T* d_y, int64_t n, T rate, const Rng& rng);

}  // namespace ref

namespace cpu {

void dropout_forward(float* y, const float* x, int64_t n, float rate, const Rng& rng, int threads);
void dropout_backward(float* d_x, const float* d_y, int64_t n, float rate, const Rng& rng,
                      int threads);
// The forward of n elements, the first of which has index `first`, a multiple of 4.
void dropout_part(float* y, const float* x, int64_t first, int64_t n, float rate, const Rng& rng,
                  int threads);

}  // namespace cpu
}  // namespace glgnn
