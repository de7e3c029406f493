#include "kernels/selected_dot.h"

namespace glgnn::ref {

template <class T>
void selected_dot_forward(T* dots, PatternView pattern, const ZSelected<T>& z) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const int64_t j = pattern.col[e];
      T sum = 0;
      for (int64_t c = 0; c < z.labels.cols; ++c) sum += z.labels[i][c] * z.labels[j][c];
      for (int64_t f = 0; f < z.x.cols; ++f) sum += (z.x[i][f] * z.s[f]) * (z.x[j][f] * z.s[f]);
      dots[e] = sum;
    }
  }
}

template <class T>
void selected_dot_backward(T* d_s, const T* d_dots, PatternView pattern, const ZSelected<T>& z) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const int64_t j = pattern.col[e];
      for (int64_t f = 0; f < z.x.cols; ++f) {
        d_s[f] += d_dots[e] * 2 * z.s[f] * z.x[i][f] * z.x[j][f];
      }
    }
  }
}

#define GLGNN_INSTANTIATE(T)                                                \
  template void selected_dot_forward(T*, PatternView, const ZSelected<T>&); \
  template void selected_dot_backward(T*, const T*, PatternView, const ZSelected<T>&);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
