#include "kernels/graph_norm.h"

#include <algorithm>
#include <cmath>

namespace glgnn {

SymmetricUnion symmetric_union(PatternView pattern) {
  const Transpose mirrored = transpose(pattern);
  SymmetricUnion out;
  out.pattern.rows = pattern.rows;
  out.pattern.cols = pattern.cols;
  for (int64_t i = 0; i < pattern.rows; ++i) {
    int64_t p = pattern.row_ptr[i], q = mirrored.pattern.row_ptr[i];
    const int64_t p_end = pattern.row_ptr[i + 1], q_end = mirrored.pattern.row_ptr[i + 1];
    while (p < p_end || q < q_end) {
      const int32_t column_p = p < p_end ? pattern.col[p] : INT32_MAX;
      const int32_t column_q = q < q_end ? mirrored.pattern.col[q] : INT32_MAX;
      out.pattern.col.push_back(std::min(column_p, column_q));
      out.here.push_back(column_p <= column_q ? p++ : -1);
      out.there.push_back(column_q <= column_p ? mirrored.source[q++] : -1);
    }
    out.pattern.row_ptr.push_back(out.pattern.nnz());
  }
  return out;
}

namespace ref {

template <class T>
void row_scale_forward(T* y, T* sum, const T* a, const int64_t* row_ptr, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    sum[i] = 0;
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) sum[i] += a[e];
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) y[e] = sum[i] > 0 ? a[e] / sum[i] : T(0);
  }
}

template <class T>
void row_scale_backward(T* d_a, const T* d_y, const T* y, const T* sum, const int64_t* row_ptr,
                        int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    if (!(sum[i] > 0)) continue;
    T along = 0;
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) along += d_y[e] * y[e];
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) d_a[e] += (d_y[e] - along) / sum[i];
  }
}

template <class T>
void gcn_norm_forward(T* y, T* r, PatternView out, const int64_t* source, const T* a) {
  for (int64_t i = 0; i < out.rows; ++i) {
    T degree = 1;
    for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
      if (source[e] >= 0) degree += a[source[e]];
    }
    r[i] = 1 / std::sqrt(degree);
  }
  for (int64_t i = 0; i < out.rows; ++i) {
    for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
      const T value = (source[e] >= 0 ? a[source[e]] : T(0)) + T(out.col[e] == i);
      y[e] = value * r[i] * r[out.col[e]];
    }
  }
}

template <class T>
void gcn_norm_backward(T* d_a, T* scratch, const T* d_y, const T* y, const T* r, PatternView out,
                       const int64_t* source) {
  // The gradient of each degree, first without its factor - r_i^2 / 2.
  std::fill(scratch, scratch + out.rows, T(0));
  for (int64_t i = 0; i < out.rows; ++i) {
    for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
      const T along = d_y[e] * y[e];
      scratch[i] += along;
      scratch[out.col[e]] += along;
    }
  }
  for (int64_t i = 0; i < out.rows; ++i) {
    const T d_degree = -scratch[i] * r[i] * r[i] / 2;
    for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
      if (source[e] >= 0) d_a[source[e]] += d_y[e] * r[i] * r[out.col[e]] + d_degree;
    }
  }
}

template <class T>
void symmetrise_forward(T* y, const T* a, const SymmetricUnion& both, SymmetricForm form) {
  for (int64_t e = 0; e < both.pattern.nnz(); ++e) {
    const T here = both.here[e] >= 0 ? a[both.here[e]] : T(0);
    const T there = both.there[e] >= 0 ? a[both.there[e]] : T(0);
    y[e] = form == SymmetricForm::kMean ? (here + there) / 2 : std::max(here, there);
  }
}

template <class T>
void symmetrise_backward(T* d_a, const T* d_y, const T* a, const SymmetricUnion& both,
                         SymmetricForm form) {
  for (int64_t e = 0; e < both.pattern.nnz(); ++e) {
    const T here = both.here[e] >= 0 ? a[both.here[e]] : T(0);
    const T there = both.there[e] >= 0 ? a[both.there[e]] : T(0);
    const T share = form == SymmetricForm::kMean ? T(0.5) : T(here >= there);
    if (both.here[e] >= 0) d_a[both.here[e]] += share * d_y[e];
    if (both.there[e] >= 0) d_a[both.there[e]] += (T(1) - share) * d_y[e];
  }
}

#define GLGNN_INSTANTIATE(T)                                                                   \
  template void row_scale_forward(T*, T*, const T*, const int64_t*, int64_t);                  \
  template void row_scale_backward(T*, const T*, const T*, const T*, const int64_t*, int64_t); \
  template void gcn_norm_forward(T*, T*, PatternView, const int64_t*, const T*);               \
  template void gcn_norm_backward(T*, T*, const T*, const T*, const T*, PatternView,           \
                                  const int64_t*);                                             \
  template void symmetrise_forward(T*, const T*, const SymmetricUnion&, SymmetricForm);        \
  template void symmetrise_backward(T*, const T*, const T*, const SymmetricUnion&, SymmetricForm);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace ref
}  // namespace glgnn
