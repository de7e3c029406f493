#include "kernels/hops.h"

#include <cmath>

namespace glgnn::ref {

template <class T>
void hop_weights(T* h, const HopPairs& pairs, const T* v) {
  for (int64_t e = 0; e < pairs.near.nnz(); ++e) {
    h[e] = 0;
    for (int64_t l = 0; l < pairs.hops; ++l) h[e] += pairs.coefficients[e * pairs.hops + l] * v[l];
  }
}

template <class T>
void add_logs(T* t, const T* h, int64_t n) {
  for (int64_t e = 0; e < n; ++e) t[e] += std::log(h[e]);
}

template <class T>
void hop_gather_forward(T* h_kept, const float* shares, int64_t kept, const T* v, int64_t weights) {
  for (int64_t e = 0; e < kept; ++e) {
    h_kept[e] = 0;
    for (int64_t l = 0; l < weights; ++l) h_kept[e] += shares[e * weights + l] * v[l];
  }
}

template <class T>
void hop_gather_backward(T* d_v, const T* d_h_kept, const float* shares, int64_t kept,
                         int64_t weights) {
  for (int64_t e = 0; e < kept; ++e) {
    for (int64_t l = 0; l < weights; ++l) d_v[l] += d_h_kept[e] * shares[e * weights + l];
  }
}

#define GLGNN_INSTANTIATE(T)                                                      \
  template void hop_weights(T*, const HopPairs&, const T*);                       \
  template void add_logs(T*, const T*, int64_t);                                  \
  template void hop_gather_forward(T*, const float*, int64_t, const T*, int64_t); \
  template void hop_gather_backward(T*, const T*, const float*, int64_t, int64_t);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
