#include "kernels/layers.h"

#include <algorithm>
#include <vector>

#include "kernels/edges.h"

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

namespace {

template <class T>
std::vector<T> dropped_input(const TwoLayers<T>& layers) {
  std::vector<T> x(layers.x.size());
  dropout_forward(x.data(), layers.x.data, layers.x.size(), layers.rate, layers.input);
  return x;
}

}  // namespace

template <class T>
void two_layers_forward(MatView<T> o, MatView<T> h, const TwoLayers<T>& layers) {
  const std::vector<T> dropped = dropped_input(layers);
  const int64_t features = layers.x.cols;
  for (int64_t i = 0; i < h.rows; ++i) {
    for (int64_t u = 0; u < h.cols; ++u) {
      T sum = layers.b1[u];
      for (int64_t f = 0; f < features; ++f) sum += dropped[i * features + f] * layers.w1[f][u];
      h[i][u] = sum > 0 ? sum : T(0);
    }
  }
  dropout_forward(h.data, h.data, h.size(), layers.rate, layers.inner);
  for (int64_t i = 0; i < o.rows; ++i) {
    for (int64_t c = 0; c < o.cols; ++c) {
      T sum = layers.b2[c];
      for (int64_t u = 0; u < h.cols; ++u) sum += h[i][u] * layers.w2[u][c];
      o[i][c] = sum;
    }
  }
}

template <class T>
void two_layers_backward(const TwoLayersGradient<T>& d, MatView<const T> d_o, MatView<const T> h,
                         const TwoLayers<T>& layers) {
  const std::vector<T> dropped = dropped_input(layers);
  const T scale = T(1) / (T(1) - layers.rate);
  const int64_t features = layers.x.cols;
  for (int64_t i = 0; i < h.rows; ++i) {
    for (int64_t c = 0; c < d_o.cols; ++c) d.b2[c] += d_o[i][c];
    for (int64_t u = 0; u < h.cols; ++u) {
      T d_h = 0;
      for (int64_t c = 0; c < d_o.cols; ++c) {
        d.w2[u][c] += h[i][u] * d_o[i][c];
        d_h += d_o[i][c] * layers.w2[u][c];
      }
      if (h[i][u] == 0) continue;
      d.b1[u] += d_h * scale;
      for (int64_t f = 0; f < features; ++f) {
        d.w1[f][u] += dropped[i * features + f] * d_h * scale;
      }
    }
  }
}

#define GLGNN_INSTANTIATE(T)                                                               \
  template void dropout_forward(T*, const T*, int64_t, T, const Rng&);                     \
  template void dropout_backward(T*, const T*, int64_t, T, const Rng&);                    \
  template void dropout_linear_forward(MatView<T>, MatView<const T>, MatView<const T>, T,  \
                                       const Rng&);                                        \
  template void dropout_linear_backward(MatView<T>, MatView<const T>, MatView<const T>, T, \
                                        const Rng&);                                       \
  template void two_layers_forward(MatView<T>, MatView<T>, const TwoLayers<T>&);           \
  template void two_layers_backward(const TwoLayersGradient<T>&, MatView<const T>,         \
                                    MatView<const T>, const TwoLayers<T>&);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

template <class T>
void propagate(MatView<T> z, PatternView pattern, const T* values, MatView<const T> h,
               int64_t steps, T alpha) {
  std::vector<T> last(h.data, h.data + h.size());
  for (int64_t step = 0; step < steps; ++step) {
    const MatView<const T> before{last.data(), h.rows, h.cols};
    spmm_forward<T>(z, pattern, values, before);
    for (int64_t e = 0; e < h.size(); ++e) last[e] = (1 - alpha) * z.data[e] + alpha * h.data[e];
  }
  std::copy(last.begin(), last.end(), z.data);
}

template void propagate(MatView<float>, PatternView, const float*, MatView<const float>, int64_t,
                        float);
template void propagate(MatView<double>, PatternView, const double*, MatView<const double>, int64_t,
                        double);

}  // namespace glgnn::ref
