#include "kernels/losses.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace glgnn::ref {
namespace {

// From the largest number, so that nothing overflows.
template <class T>
T log_sum_exp(const T* x, int64_t n) {
  const T top = *std::max_element(x, x + n);
  T sum = 0;
  for (int64_t c = 0; c < n; ++c) sum += std::exp(x[c] - top);
  return top + std::log(sum);
}

// Walks both rows at once: visit(index in a or -1, index in b or -1) for each column of the union.
template <class Visit>
void for_each_union(PatternView a, PatternView b, Visit&& visit) {
  for (int64_t i = 0; i < a.rows; ++i) {
    int64_t p = a.row_ptr[i], q = b.row_ptr[i];
    const int64_t p_end = a.row_ptr[i + 1], q_end = b.row_ptr[i + 1];
    while (p < p_end || q < q_end) {
      const bool take_a = q == q_end || (p < p_end && a.col[p] <= b.col[q]);
      const bool take_b = p == p_end || (q < q_end && b.col[q] <= a.col[p]);
      visit(take_a ? p++ : -1, take_b ? q++ : -1);
    }
  }
}

}  // namespace

template <class T>
double cross_entropy_forward(MatView<const T> x, std::span<const int32_t> rows,
                             const int32_t* label_of_row) {
  double sum = 0;
  for (const int32_t i : rows) sum += log_sum_exp(x[i], x.cols) - x[i][label_of_row[i]];
  return sum / static_cast<double>(rows.size());
}

template <class T>
void cross_entropy_backward(MatView<T> d_x, T d_loss, MatView<const T> x,
                            std::span<const int32_t> rows, const int32_t* label_of_row) {
  const T weight = d_loss / static_cast<T>(rows.size());
  for (const int32_t i : rows) {
    const T lse = log_sum_exp(x[i], x.cols);
    for (int64_t c = 0; c < x.cols; ++c) {
      d_x[i][c] += weight * (std::exp(x[i][c] - lse) - T(c == label_of_row[i]));
    }
  }
}

template <class T>
double sparse_l1_forward(PatternView pattern_a, const T* a, PatternView pattern_b, const T* b) {
  double sum = 0;
  for_each_union(pattern_a, pattern_b, [&](int64_t p, int64_t q) {
    sum += std::abs((p < 0 ? T(0) : a[p]) - (q < 0 ? T(0) : b[q]));
  });
  return sum;
}

template <class T>
void sparse_l1_backward(T* d_a, T* d_b, T d_loss, PatternView pattern_a, const T* a,
                        PatternView pattern_b, const T* b) {
  for_each_union(pattern_a, pattern_b, [&](int64_t p, int64_t q) {
    const T difference = (p < 0 ? T(0) : a[p]) - (q < 0 ? T(0) : b[q]);
    const T sign = static_cast<T>((difference > 0) - (difference < 0));
    if (p >= 0) d_a[p] += d_loss * sign;
    if (q >= 0) d_b[q] -= d_loss * sign;
  });
}

template <class T>
double sum_squares_forward(const T* x, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]) * x[i];
  return sum;
}

template <class T>
void sum_squares_backward(T* d_x, T d_loss, const T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d_x[i] += 2 * d_loss * x[i];
}

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

#define GLGNN_INSTANTIATE(T)                                                                      \
  template double cross_entropy_forward(MatView<const T>, std::span<const int32_t>,               \
                                        const int32_t*);                                          \
  template void cross_entropy_backward(MatView<T>, T, MatView<const T>, std::span<const int32_t>, \
                                       const int32_t*);                                           \
  template double sparse_l1_forward(PatternView, const T*, PatternView, const T*);                \
  template void sparse_l1_backward(T*, T*, T, PatternView, const T*, PatternView, const T*);      \
  template double sum_squares_forward(const T*, int64_t);                                         \
  template void sum_squares_backward(T*, T, const T*, int64_t);                                   \
  template double soft_cross_entropy_forward(MatView<const T>, MatView<const T>, const T*);       \
  template void soft_cross_entropy_backward(MatView<T>, T, MatView<const T>, MatView<const T>,    \
                                            const T*);                                            \
  template double softmax_distance_forward(MatView<const T>, MatView<const T>);                   \
  template void softmax_distance_backward(MatView<T>, T, MatView<const T>, MatView<const T>);     \
  template void sharpen(MatView<T>, MatView<const T>);                                            \
  template void soft_pull(MatView<T>, MatView<const T>, MatView<const T>, const T*, T);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
