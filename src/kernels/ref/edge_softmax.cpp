#include "kernels/edge_softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace glgnn::ref {

template <class T>
void edge_exp_forward(T* p, const T* s, const T* lse, const int64_t* row_ptr, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) p[e] = std::exp(s[e] - lse[i]);
  }
}

template <class T>
void edge_exp_backward(T* d_s, T* d_lse, const T* d_p, const T* p, const int64_t* row_ptr,
                       int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
      d_s[e] += d_p[e] * p[e];
      d_lse[i] -= d_p[e] * p[e];
    }
  }
}

template <class T>
void edge_softmax_forward(T* p, const T* s, const int64_t* row_ptr, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    T top = -std::numeric_limits<T>::infinity(), sum = 0;
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) top = std::max(top, s[e]);
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) sum += p[e] = std::exp(s[e] - top);
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) p[e] /= sum;
  }
}

template <class T>
void edge_softmax_backward(T* d_s, const T* d_p, const T* p, const int64_t* row_ptr, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    T along = 0;
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) along += d_p[e] * p[e];
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) d_s[e] += p[e] * (d_p[e] - along);
  }
}

#define GLGNN_INSTANTIATE(T)                                                            \
  template void edge_exp_forward(T*, const T*, const T*, const int64_t*, int64_t);      \
  template void edge_exp_backward(T*, T*, const T*, const T*, const int64_t*, int64_t); \
  template void edge_softmax_forward(T*, const T*, const int64_t*, int64_t);            \
  template void edge_softmax_backward(T*, const T*, const T*, const int64_t*, int64_t);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
