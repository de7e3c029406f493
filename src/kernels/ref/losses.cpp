#include "kernels/losses.h"

#include <algorithm>
#include <cmath>

#include "kernels/ref/log_sum_exp.h"

namespace glgnn::ref {
namespace {

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

#define GLGNN_INSTANTIATE(T)                                                                      \
  template double cross_entropy_forward(MatView<const T>, std::span<const int32_t>,               \
                                        const int32_t*);                                          \
  template void cross_entropy_backward(MatView<T>, T, MatView<const T>, std::span<const int32_t>, \
                                       const int32_t*);                                           \
  template double sparse_l1_forward(PatternView, const T*, PatternView, const T*);                \
  template void sparse_l1_backward(T*, T*, T, PatternView, const T*, PatternView, const T*);      \
  template double sum_squares_forward(const T*, int64_t);                                         \
  template void sum_squares_backward(T*, T, const T*, int64_t);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
