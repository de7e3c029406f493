// Dropout, and the layers that have it.
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>
#include <memory>
#include <span>

#include "core/rng.h"
#include "kernels/dense.h"
#include "kernels/propagate.h"

namespace glgnn {

// Dropout by counter: element `index` is kept if its random number is not below `rate`.
//
// y = x * keep / (1 - rate). Backward: d_x += d_y * keep / (1 - rate); the same numbers are drawn
// again, so that nothing is saved. Cost O(n).

namespace ref {

template <class T>
void dropout_forward(T* y, const T* x, int64_t n, T rate, const Rng& rng);
template <class T>
void dropout_backward(T* d_x, const T* d_y, int64_t n, T rate, const Rng& rng);

}  // namespace ref

namespace cpu {

void dropout_forward(float* y, const float* x, int64_t n, float rate, const Rng& rng, int threads);
void dropout_backward(float* d_x, const float* d_y, int64_t n, float rate, const Rng& rng,
                      int threads, int64_t first = 0);
// The forward of n elements, the first of which has index `first` (above, too), a multiple of 4.
void dropout_part(float* y, const float* x, int64_t first, int64_t n, float rate, const Rng& rng,
                  int threads);

}  // namespace cpu

// The first layer's product with its dropout: y = drop(x) w, drop(x) never in memory as a whole.
//
// x N x F without a gradient, w F x H, y N x H; drop as above. Backward: d_w += drop(x)^T
// d_y, the same numbers being drawn again. Nothing is saved: x is dropped a block of rows at a
// time, so that the memory beside x does not grow with N. Cost O(N F H).

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

// x are rows first_row, first_row + 1, ... of all, a multiple of 4.
void dropout_linear_forward(MatView<float> y, MatView<const float> x, MatView<const float> w,
                            float rate, const Rng& rng, int threads, int64_t first_row = 0);
void dropout_linear_backward(MatView<float> d_w, MatView<const float> d_y, MatView<const float> x,
                             float rate, const Rng& rng, int threads, int64_t first_row = 0);

}  // namespace cpu

// Two layers with dropout before each: h = drop(relu(drop(x) w1 + b1)), o = h w2 + b2.
//
// x N x F without a gradient, w1 F x H, w2 H x C, b1 and b2 one row; drop as above, rate 0
// drops nothing. Saved: h. Backward, with d_h = (d_o w2^T) / (1 - rate) where h is not 0:
//   d_w2 += h^T d_o, d_b2 += column sums of d_o, d_w1 += drop(x)^T d_h, d_b1 += column sums of d_h
// A block of rows goes through both layers while it is in the cache. Cost O(N H (F + C)).

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

namespace cuda {

void two_layers_forward(MatView<float> o, MatView<float> h, const TwoLayers<float>& layers);
void two_layers_backward(const TwoLayersGradient<float>& d, MatView<const float> d_o,
                         MatView<const float> h, const TwoLayers<float>& layers);

// The layers' parameters, in the order in which they are listed everywhere.
struct HeadParameters {
  Matrix w1, b1, w2, b2;
};

struct HeadTraining {
  MatView<const float> targets;  // as soft_pull (kernels/losses.h) takes them
  const float* weights;
  float rate, weight_decay;
  double learning_rate;
  int64_t steps;  // of the propagation after both layers, and back through it; 0: none
  float alpha;
};

// Two layers, then propagation, that are trained on the device: Adam on soft_pull and the decay of
// w1, as modules/layers.cpp does it with a tape.
class HeldHead {
 public:
  // `read` are the rows of x that training reads, `graph` is null without propagation; both and
  // x must outlive this.
  HeldHead(const HeldMatrix& x, const HeldMatrix& read, const HeldGraph* graph,
           const HeadParameters& start, const HeadTraining& training);
  ~HeldHead();

  // Epoch 1, 2, ..., with the numbers that drop x and the hidden units.
  void train_epoch(int64_t epoch, float consistency, const Rng& input, const Rng& inner);
  // The probabilities of some rows of x by the parameters of now; only these leave the device.
  Matrix look(std::span<const int32_t> rows) const;
  // Keeps the parameters of now; go_back() makes those that were kept last the ones of now.
  void keep();
  void go_back();
  // Of every row of x.
  Matrix logits() const;
  HeadParameters parameters() const;

 private:
  struct Arrays;
  std::unique_ptr<Arrays> arrays_;
};

}  // namespace cuda
}  // namespace glgnn
