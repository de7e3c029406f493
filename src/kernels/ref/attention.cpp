#include "kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace glgnn::ref {

template <class T>
void row_products(MatView<T> y, MatView<const T> x, MatView<const T> w) {
  for (int64_t i = 0; i < y.rows; ++i) {
    for (int64_t c = 0; c < y.cols; ++c) {
      y[i][c] = 0;
      for (int64_t f = 0; f < x.cols; ++f) y[i][c] += x[i][f] * w[f][c];
    }
  }
}

template <class T>
void layer_norm(MatView<T> y, MatView<const T> x, const T* gain, const T* offset) {
  for (int64_t i = 0; i < x.rows; ++i) {
    T mean = 0, variance = 0;
    for (int64_t c = 0; c < x.cols; ++c) mean += x[i][c];
    mean /= static_cast<T>(x.cols);
    for (int64_t c = 0; c < x.cols; ++c) variance += (x[i][c] - mean) * (x[i][c] - mean);
    variance /= static_cast<T>(x.cols);
    const T scale = T(1) / std::sqrt(variance + T(1e-5));
    for (int64_t c = 0; c < x.cols; ++c) y[i][c] = (x[i][c] - mean) * scale * gain[c] + offset[c];
  }
}

template <class T>
void gelu(MatView<T> x, const T* offset) {
  const T root = std::sqrt(T(2) / std::numbers::pi_v<T>);
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t c = 0; c < x.cols; ++c) {
      const T u = x[i][c] + offset[c];
      x[i][c] = u / (T(1) + std::exp(T(-2) * root * (u + T(0.044715) * u * u * u)));
    }
  }
}

template <class T>
void attend(MatView<T> out, MatView<const T> q, MatView<const T> k_transposed, MatView<const T> v,
            int64_t heads) {
  const int64_t width = q.cols / heads;
  const T scale = T(1) / std::sqrt(static_cast<T>(width));
  std::vector<T> part(v.rows);
  for (int64_t i = 0; i < q.rows; ++i) {
    for (int64_t first = 0; first < q.cols; first += width) {
      for (int64_t j = 0; j < v.rows; ++j) {
        part[j] = 0;
        for (int64_t c = first; c < first + width; ++c) part[j] += q[i][c] * k_transposed[c][j];
        part[j] *= scale;
      }
      const T largest = *std::max_element(part.begin(), part.end());
      T sum = 0;
      for (T& value : part) sum += value = std::exp(value - largest);
      for (int64_t c = first; c < first + width; ++c) {
        out[i][c] = 0;
        for (int64_t j = 0; j < v.rows; ++j) out[i][c] += part[j] * v[j][c];
        out[i][c] /= sum;
      }
    }
  }
}

template void row_products(MatView<float>, MatView<const float>, MatView<const float>);
template void row_products(MatView<double>, MatView<const double>, MatView<const double>);
template void layer_norm(MatView<float>, MatView<const float>, const float*, const float*);
template void layer_norm(MatView<double>, MatView<const double>, const double*, const double*);
template void gelu(MatView<float>, const float*);
template void gelu(MatView<double>, const double*);
template void attend(MatView<float>, MatView<const float>, MatView<const float>,
                     MatView<const float>, int64_t);
template void attend(MatView<double>, MatView<const double>, MatView<const double>,
                     MatView<const double>, int64_t);

}  // namespace glgnn::ref
