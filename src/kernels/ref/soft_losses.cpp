#include "kernels/soft_losses.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/ref/log_sum_exp.h"

namespace glgnn::ref {
namespace {

template <class T>
void softmax(T* p, const T* x, int64_t n) {
  const T lse = log_sum_exp(x, n);
  for (int64_t c = 0; c < n; ++c) p[c] = std::exp(x[c] - lse);
}

}  // namespace

template <class T>
double soft_cross_entropy_forward(MatView<const T> x, MatView<const T> targets, const T* weights) {
  double sum = 0;
  for (int64_t i = 0; i < x.rows; ++i) {
    if (weights[i] == 0) continue;
    const T lse = log_sum_exp(x[i], x.cols);
    double row = 0;
    for (int64_t c = 0; c < x.cols; ++c) row += double{targets[i][c]} * (lse - x[i][c]);
    sum += weights[i] * row;
  }
  return sum;
}

template <class T>
void soft_cross_entropy_backward(MatView<T> d_x, T d_loss, MatView<const T> x,
                                 MatView<const T> targets, const T* weights) {
  for (int64_t i = 0; i < x.rows; ++i) {
    if (weights[i] == 0) continue;
    const T lse = log_sum_exp(x[i], x.cols);
    T mass = 0;
    for (int64_t c = 0; c < x.cols; ++c) mass += targets[i][c];
    const T weight = d_loss * weights[i];
    for (int64_t c = 0; c < x.cols; ++c) {
      d_x[i][c] += weight * (std::exp(x[i][c] - lse) * mass - targets[i][c]);
    }
  }
}

template <class T>
double softmax_distance_forward(MatView<const T> x, MatView<const T> targets) {
  double sum = 0;
  std::vector<T> p(x.cols);
  for (int64_t i = 0; i < x.rows; ++i) {
    softmax(p.data(), x[i], x.cols);
    for (int64_t c = 0; c < x.cols; ++c) {
      const double apart = p[c] - targets[i][c];
      sum += apart * apart;
    }
  }
  return x.rows > 0 ? sum / static_cast<double>(x.rows) : 0.0;
}

template <class T>
void softmax_distance_backward(MatView<T> d_x, T d_loss, MatView<const T> x,
                               MatView<const T> targets) {
  const T factor = 2 * d_loss / static_cast<T>(x.rows);
  std::vector<T> p(x.cols);
  for (int64_t i = 0; i < x.rows; ++i) {
    softmax(p.data(), x[i], x.cols);
    T dot = 0;
    for (int64_t c = 0; c < x.cols; ++c) dot += factor * (p[c] - targets[i][c]) * p[c];
    for (int64_t c = 0; c < x.cols; ++c) {
      d_x[i][c] += p[c] * (factor * (p[c] - targets[i][c]) - dot);
    }
  }
}

template <class T>
void sharpen(MatView<T> targets, MatView<const T> x) {
  for (int64_t i = 0; i < x.rows; ++i) {
    softmax(targets[i], x[i], x.cols);
    T sum = 0;
    for (int64_t c = 0; c < x.cols; ++c) sum += targets[i][c] *= targets[i][c];
    for (int64_t c = 0; c < x.cols; ++c) targets[i][c] /= sum;
  }
}

template <class T>
void soft_pull(MatView<T> d_x, MatView<const T> x, MatView<const T> targets, const T* weights,
               T consistency) {
  soft_cross_entropy_backward(d_x, T(1), x, targets, weights);
  std::vector<T> sharpened(x.size());
  const MatView<T> sharp{sharpened.data(), x.rows, x.cols};
  sharpen(sharp, x);
  if (x.rows > 0) softmax_distance_backward<T>(d_x, consistency, x, {sharp.data, x.rows, x.cols});
}

#define GLGNN_FOR(T)                                                                           \
  template double soft_cross_entropy_forward(MatView<const T>, MatView<const T>, const T*);    \
  template void soft_cross_entropy_backward(MatView<T>, T, MatView<const T>, MatView<const T>, \
                                            const T*);                                         \
  template double softmax_distance_forward(MatView<const T>, MatView<const T>);                \
  template void softmax_distance_backward(MatView<T>, T, MatView<const T>, MatView<const T>);  \
  template void sharpen(MatView<T>, MatView<const T>);                                         \
  template void soft_pull(MatView<T>, MatView<const T>, MatView<const T>, const T*, T)
GLGNN_FOR(float);
GLGNN_FOR(double);
#undef GLGNN_FOR

}  // namespace glgnn::ref
