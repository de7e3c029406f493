// Two layers with dropout before each: h = drop(relu(drop(x) w1 + b1)), o = h w2 + b2.
//
// x N x F without a gradient, w1 F x H, w2 H x C, b1 and b2 one row; drop as in dropout.h, rate 0
// drops nothing. Saved: h. Backward, with d_h = (d_o w2^T) / (1 - rate) where h is not 0:
//   d_w2 += h^T d_o, d_b2 += column sums of d_o, d_w1 += drop(x)^T d_h, d_b1 += column sums of d_h
// A block of rows goes through both layers while it is in the cache. Cost O(N H (F + C)).
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>

#include "core/rng.h"

namespace glgnn {

template <class T>
struct TwoLayers {
  MatView<const T> x, w1;
  const T* b1;
  MatView<const T> w2;
  const T* b2;
  T rate;
  Rng input, inner;  // whose numbers drop x and the hidden units
};

template <class T>
struct TwoLayersGradient {
  MatView<T> w1;
  T* b1;
  MatView<T> w2;
  T* b2;
};

namespace ref {

template <class T>
void two_layers_forward(MatView<T> o, MatView<T> h, const TwoLayers<T>& layers);
template <class T>
void two_layers_backward(const TwoLayersGradient<T>& d, MatView<const T> d_o, MatView<const T> h,
                         const TwoLayers<T>& layers);

}  // namespace ref

namespace cpu {

// `kept` has a bit for each number of x that is kept, for the backward: so many words, or null
// where the rate is 0.
int64_t two_layers_words(int64_t rows, int64_t features);

void two_layers_forward(MatView<float> o, MatView<float> h, uint64_t* kept,
                        const TwoLayers<float>& layers, int threads);
void two_layers_backward(const TwoLayersGradient<float>& d, MatView<const float> d_o,
                         MatView<const float> h, const uint64_t* kept,
                         const TwoLayers<float>& layers, int threads);

}  // namespace cpu
}  // namespace glgnn
