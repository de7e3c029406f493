#include "kernels/dense.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace glgnn::ref {

template <class T>
void gemm(MatView<T> c, MatView<const T> a, MatView<const T> b, GemmOptions options) {
  const int64_t inner = options.transpose_a ? a.rows : a.cols;
  for (int64_t i = 0; i < c.rows; ++i) {
    for (int64_t j = 0; j < c.cols; ++j) {
      T sum = 0;
      for (int64_t l = 0; l < inner; ++l) {
        sum +=
            (options.transpose_a ? a[l][i] : a[i][l]) * (options.transpose_b ? b[j][l] : b[l][j]);
      }
      c[i][j] = options.accumulate ? c[i][j] + sum : sum;
    }
  }
}

template void gemm(MatView<float>, MatView<const float>, MatView<const float>, GemmOptions);
template void gemm(MatView<double>, MatView<const double>, MatView<const double>, GemmOptions);

// By Gauss and Jordan: the pivots of a positive matrix are positive, and their product is its
// determinant.
double invert(MatView<double> a) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double log_root = 0;
  for (int64_t p = 0; p < a.rows; ++p) {
    const double pivot = a[p][p];
    log_root += pivot > 0 ? 0.5 * std::log(pivot) : kNone;
    a[p][p] = 1;
    for (int64_t j = 0; j < a.cols; ++j) a[p][j] /= pivot;
    for (int64_t i = 0; i < a.rows; ++i) {
      if (i == p) continue;
      const double times = std::exchange(a[i][p], 0.0);
      for (int64_t j = 0; j < a.cols; ++j) a[i][j] -= times * a[p][j];
    }
  }
  if (std::isnan(log_root)) std::fill(a.data, a.data + a.size(), kNone);
  return log_root;
}

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

template <class T>
void relu_forward(T* y, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : T(0);
}

template <class T>
void relu_backward(T* d_x, const T* d_y, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const T pulled =
        d_y[i];  // read whether it counts or not: no branch, which is often mispredicted
    d_x[i] += x[i] > 0 ? pulled : T(0);
  }
}

template <class T>
void softplus_forward(T* y, const T* x, int64_t n) {
  // The larger of 0 and x is taken out, so that exp never overflows.
  for (int64_t i = 0; i < n; ++i) {
    y[i] = (x[i] > 0 ? x[i] : T(0)) + std::log1p(std::exp(-std::abs(x[i])));
  }
}

template <class T>
void softplus_backward(T* d_x, const T* d_y, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d_x[i] += d_y[i] / (T(1) + std::exp(-x[i]));
}

template <class T>
void multiply_forward(T* y, const T* a, const T* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = a[i] * b[i];
}

template <class T>
void multiply_backward(T* d_x, const T* d_y, const T* other, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d_x[i] += d_y[i] * other[i];
}

template <class T>
void scale_forward(T* y, const T* x, int64_t n, T factor) {
  for (int64_t i = 0; i < n; ++i) y[i] = factor * x[i];
}

template <class T>
void scale_backward(T* d_x, const T* d_y, int64_t n, T factor) {
  for (int64_t i = 0; i < n; ++i) d_x[i] += factor * d_y[i];
}

template <class T>
void scale_rows_forward(MatView<T> y, MatView<const T> x, const T* s) {
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t h = 0; h < x.cols; ++h) y[i][h] = s[i] * x[i][h];
  }
}

template <class T>
void scale_rows_backward(MatView<T> d_x, T* d_s, MatView<const T> d_y, MatView<const T> x,
                         const T* s) {
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t h = 0; h < x.cols; ++h) {
      d_x[i][h] += s[i] * d_y[i][h];
      d_s[i] += x[i][h] * d_y[i][h];
    }
  }
}

template <class T>
void row_softmax_forward(MatView<T> p, MatView<const T> x) {
  for (int64_t i = 0; i < x.rows; ++i) {
    const T top = *std::max_element(x[i], x[i] + x.cols);
    T sum = 0;
    for (int64_t c = 0; c < x.cols; ++c) sum += p[i][c] = std::exp(x[i][c] - top);
    for (int64_t c = 0; c < x.cols; ++c) p[i][c] /= sum;
  }
}

template <class T>
void row_softmax_backward(MatView<T> d_x, MatView<const T> d_p, MatView<const T> p) {
  for (int64_t i = 0; i < p.rows; ++i) {
    T along = 0;
    for (int64_t c = 0; c < p.cols; ++c) along += d_p[i][c] * p[i][c];
    for (int64_t c = 0; c < p.cols; ++c) d_x[i][c] += p[i][c] * (d_p[i][c] - along);
  }
}

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

template <class T>
void adam_step(T* x, T* m, T* v, const T* g, int64_t n, double rate, int64_t t) {
  constexpr T kBeta1 = T(0.9), kBeta2 = T(0.999), kEpsilon = T(1e-8);
  // Taken before rounding: in float, 1 - 0.999f is wrong in the fifth digit.
  constexpr T kRest1 = T(1 - 0.9), kRest2 = T(1 - 0.999);
  const T step = static_cast<T>(rate / (1 - std::pow(0.9, t)));
  const T scale = static_cast<T>(1 / std::sqrt(1 - std::pow(0.999, t)));
  for (int64_t i = 0; i < n; ++i) {
    m[i] = kBeta1 * m[i] + kRest1 * g[i];
    v[i] = kBeta2 * v[i] + kRest2 * g[i] * g[i];
    x[i] -= step * m[i] / (std::sqrt(v[i]) * scale + kEpsilon);
  }
}

template void adam_step(float*, float*, float*, const float*, int64_t, double, int64_t);
template void adam_step(double*, double*, double*, const double*, int64_t, double, int64_t);

#define GLGNN_INSTANTIATE(T)                                                                       \
  template void relu_forward(T*, const T*, int64_t);                                               \
  template void relu_backward(T*, const T*, const T*, int64_t);                                    \
  template void softplus_forward(T*, const T*, int64_t);                                           \
  template void softplus_backward(T*, const T*, const T*, int64_t);                                \
  template void multiply_forward(T*, const T*, const T*, int64_t);                                 \
  template void multiply_backward(T*, const T*, const T*, int64_t);                                \
  template void scale_forward(T*, const T*, int64_t, T);                                           \
  template void scale_backward(T*, const T*, int64_t, T);                                          \
  template void scale_rows_forward(MatView<T>, MatView<const T>, const T*);                        \
  template void scale_rows_backward(MatView<T>, T*, MatView<const T>, MatView<const T>, const T*); \
  template void row_softmax_forward(MatView<T>, MatView<const T>);                                 \
  template void row_softmax_backward(MatView<T>, MatView<const T>, MatView<const T>);              \
  template void unit_rows_forward(T*, T*, const T*, const int64_t*, int64_t, T);                   \
  template void unit_rows_backward(T*, const T*, const T*, const T*, const int64_t*, int64_t, T);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
