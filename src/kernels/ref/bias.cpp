#include "kernels/bias.h"

#include <vector>

namespace glgnn::ref {

template <class T>
void add_bias_forward(MatView<T> y, MatView<const T> x, const T* b) {
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t c = 0; c < x.cols; ++c) y[i][c] = x[i][c] + b[c];
  }
}

template <class T>
void add_bias_backward(T* d_x, T* d_b, MatView<const T> d_y) {
  std::vector<double> sums(d_y.cols, 0.0);
  for (int64_t i = 0; i < d_y.rows; ++i) {
    for (int64_t c = 0; c < d_y.cols; ++c) {
      if (d_x) d_x[i * d_y.cols + c] += d_y[i][c];
      sums[c] += d_y[i][c];
    }
  }
  for (int64_t c = 0; c < d_y.cols; ++c) d_b[c] += static_cast<T>(sums[c]);
}

template void add_bias_forward(MatView<float>, MatView<const float>, const float*);
template void add_bias_forward(MatView<double>, MatView<const double>, const double*);
template void add_bias_backward(float*, float*, MatView<const float>);
template void add_bias_backward(double*, double*, MatView<const double>);

}  // namespace glgnn::ref
