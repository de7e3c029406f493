#include "kernels/dropout.h"

namespace glgnn::ref {

template <class T>
void dropout_forward(T* y, const T* x, int64_t n, T rate, const Rng& rng) {
  const T scale = T(1) / (T(1) - rate);
  for (int64_t i = 0; i < n; ++i) y[i] = rng.uniform(i) >= rate ? x[i] * scale : T(0);
}

template <class T>
void dropout_backward(T* d_x, const T* d_y, int64_t n, T rate, const Rng& rng) {
  const T scale = T(1) / (T(1) - rate);
  for (int64_t i = 0; i < n; ++i) d_x[i] += rng.uniform(i) >= rate ? d_y[i] * scale : T(0);
}

#define GLGNN_INSTANTIATE(T)                                           \
  template void dropout_forward(T*, const T*, int64_t, T, const Rng&); \
  template void dropout_backward(T*, const T*, int64_t, T, const Rng&);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
