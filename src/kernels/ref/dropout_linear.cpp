#include "kernels/dropout_linear.h"

namespace glgnn::ref {

template <class T>
void dropout_linear_forward(MatView<T> y, MatView<const T> x, MatView<const T> w, T rate,
                            const Rng& rng) {
  const T scale = T(1) / (T(1) - rate);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t h = 0; h < w.cols; ++h) y[i][h] = T(0);
    for (int64_t f = 0; f < x.cols; ++f) {
      if (rng.uniform(i * x.cols + f) < rate) continue;
      for (int64_t h = 0; h < w.cols; ++h) y[i][h] += x[i][f] * scale * w[f][h];
    }
  }
}

template <class T>
void dropout_linear_backward(MatView<T> d_w, MatView<const T> d_y, MatView<const T> x, T rate,
                             const Rng& rng) {
  const T scale = T(1) / (T(1) - rate);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t f = 0; f < x.cols; ++f) {
      if (rng.uniform(i * x.cols + f) < rate) continue;
      for (int64_t h = 0; h < d_w.cols; ++h) d_w[f][h] += x[i][f] * scale * d_y[i][h];
    }
  }
}

#define GLGNN_INSTANTIATE(T)                                                               \
  template void dropout_linear_forward(MatView<T>, MatView<const T>, MatView<const T>, T,  \
                                       const Rng&);                                        \
  template void dropout_linear_backward(MatView<T>, MatView<const T>, MatView<const T>, T, \
                                        const Rng&);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
