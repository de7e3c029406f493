#include "kernels/unit_rows.h"

#include <cmath>

namespace glgnn::ref {

template <class T>
void unit_rows_forward(T* y, T* norm, const T* x, const int64_t* row_ptr, int64_t rows, T scale) {
  for (int64_t i = 0; i < rows; ++i) {
    T squares = 0;
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) squares += x[e] * x[e];
    norm[i] = std::sqrt(squares);
    const T factor = norm[i] > 0 ? scale / norm[i] : T(0);
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) y[e] = factor * x[e];
  }
}

template <class T>
void unit_rows_backward(T* d_x, const T* d_y, const T* x, const T* norm, const int64_t* row_ptr,
                        int64_t rows, T scale) {
  for (int64_t i = 0; i < rows; ++i) {
    if (!(norm[i] > 0)) continue;
    T along = 0;
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) along += x[e] * d_y[e];
    along /= norm[i] * norm[i];
    const T factor = scale / norm[i];
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e)
      d_x[e] += factor * (d_y[e] - along * x[e]);
  }
}

#define GLGNN_INSTANTIATE(T)                                                     \
  template void unit_rows_forward(T*, T*, const T*, const int64_t*, int64_t, T); \
  template void unit_rows_backward(T*, const T*, const T*, const T*, const int64_t*, int64_t, T);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
