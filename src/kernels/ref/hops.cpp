#include "kernels/hops.h"

#include <cmath>

namespace glgnn::ref {
namespace {

template <class T>
T pair_weight(const HopPairs& pairs, int64_t pair, const T* v) {
  if (!pairs.distance.empty()) return v[pairs.distance[pair] - 1];
  T sum = 0;
  for (int64_t l = 0; l < pairs.hops; ++l) sum += pairs.coefficients[pair * pairs.hops + l] * v[l];
  return sum;
}

}  // namespace

template <class T>
void hop_weights(T* h, const HopPairs& pairs, const T* v) {
  for (int64_t e = 0; e < pairs.near.nnz(); ++e) h[e] = pair_weight(pairs, e, v);
}

template <class T>
void add_logs(T* t, const T* h, int64_t n) {
  for (int64_t e = 0; e < n; ++e) t[e] += std::log(h[e]);
}

template <class T>
void hop_gather_forward(T* h_kept, const int64_t* near_of_kept, int64_t kept, const HopPairs& pairs,
                        const T* v) {
  for (int64_t e = 0; e < kept; ++e) {
    h_kept[e] = near_of_kept[e] < 0 ? v[pairs.unlisted] : pair_weight(pairs, near_of_kept[e], v);
  }
}

template <class T>
void hop_gather_backward(T* d_v, const T* d_h_kept, const int64_t* near_of_kept, int64_t kept,
                         const HopPairs& pairs) {
  for (int64_t e = 0; e < kept; ++e) {
    const int64_t pair = near_of_kept[e];
    if (pair < 0) {
      d_v[pairs.unlisted] += d_h_kept[e];
    } else if (!pairs.distance.empty()) {
      d_v[pairs.distance[pair] - 1] += d_h_kept[e];
    } else {
      for (int64_t l = 0; l < pairs.hops; ++l) {
        d_v[l] += d_h_kept[e] * pairs.coefficients[pair * pairs.hops + l];
      }
    }
  }
}

#define GLGNN_INSTANTIATE(T)                                                                \
  template void hop_weights(T*, const HopPairs&, const T*);                                 \
  template void add_logs(T*, const T*, int64_t);                                            \
  template void hop_gather_forward(T*, const int64_t*, int64_t, const HopPairs&, const T*); \
  template void hop_gather_backward(T*, const T*, const int64_t*, int64_t, const HopPairs&);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
