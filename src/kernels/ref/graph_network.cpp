#include "kernels/graph_network.h"

namespace glgnn::ref {

template <class T>
void network_alpha_forward(MatView<T> alpha, std::span<const MatView<const T>> x,
                           MatView<const T> a) {
  const int64_t count = static_cast<int64_t>(x.size()), n = x[0].rows;
  for (int64_t u = 0; u < count; ++u) {
    for (int64_t v = 0; v <= u; ++v) {
      double sum = 0;
      for (int64_t i = 0; i < n; ++i) {
        const T* a_row = a[a.rows == 1 ? 0 : i];
        for (int64_t c = 0; c < x[u].cols; ++c) {
          sum += static_cast<double>(a_row[c]) * x[u][i][c] * x[v][i][c];
        }
      }
      alpha[u][v] = alpha[v][u] = static_cast<T>(sum / static_cast<double>(n));
    }
  }
}

template <class T>
void network_alpha_backward(std::span<const MatView<T>> d_x, MatView<T> d_a,
                            MatView<const T> d_alpha, std::span<const MatView<const T>> x,
                            MatView<const T> a) {
  const int64_t count = static_cast<int64_t>(x.size()), n = x[0].rows, classes = x[0].cols;
  const T scale = T(1) / static_cast<T>(n);
  for (int64_t u = 0; u < count; ++u) {
    for (int64_t v = 0; v < count; ++v) {
      const T both = scale * (d_alpha[u][v] + d_alpha[v][u]), one = scale * d_alpha[u][v];
      for (int64_t i = 0; i < n; ++i) {
        const int64_t a_row = a.rows == 1 ? 0 : i;
        for (int64_t c = 0; c < classes; ++c) {
          if (d_x[u].data) d_x[u][i][c] += both * a[a_row][c] * x[v][i][c];
          if (d_a.data) d_a[a_row][c] += one * x[u][i][c] * x[v][i][c];
        }
      }
    }
  }
}

template <class T>
void network_mix_forward(MatView<T> y, std::span<const MatView<const T>> x, const T* weight) {
  for (int64_t e = 0; e < y.size(); ++e) {
    T sum = 0;
    for (size_t u = 0; u < x.size(); ++u) sum += weight[u] * x[u].data[e];
    y.data[e] = sum;
  }
}

template <class T>
void network_mix_backward(std::span<const MatView<T>> d_x, T* d_weight, MatView<const T> d_y,
                          std::span<const MatView<const T>> x, const T* weight) {
  for (size_t u = 0; u < x.size(); ++u) {
    double sum = 0;
    for (int64_t e = 0; e < d_y.size(); ++e) {
      sum += static_cast<double>(d_y.data[e]) * x[u].data[e];
      if (d_x[u].data) d_x[u].data[e] += weight[u] * d_y.data[e];
    }
    if (d_weight) d_weight[u] += static_cast<T>(sum);
  }
}

#define GLGNN_INSTANTIATE(T)                                                                      \
  template void network_alpha_forward(MatView<T>, std::span<const MatView<const T>>,              \
                                      MatView<const T>);                                          \
  template void network_alpha_backward(std::span<const MatView<T>>, MatView<T>, MatView<const T>, \
                                       std::span<const MatView<const T>>, MatView<const T>);      \
  template void network_mix_forward(MatView<T>, std::span<const MatView<const T>>, const T*);     \
  template void network_mix_backward(std::span<const MatView<T>>, T*, MatView<const T>,           \
                                     std::span<const MatView<const T>>, const T*);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
