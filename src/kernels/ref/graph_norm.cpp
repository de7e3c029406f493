#include "kernels/graph_norm.h"

#include <algorithm>
#include <cmath>

namespace glgnn {

namespace ref {

template <class T>
void row_scale_forward(T* y, T* size, const T* a, const int64_t* row_ptr, int64_t rows,
                       const RowScale& form) {
  const T target = form.target;
  for (int64_t i = 0; i < rows; ++i) {
    size[i] = 0;
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
      size[i] = form.by_largest ? std::max(size[i], a[e]) : size[i] + a[e];
    }
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
      y[e] = size[i] > 0 ? target * a[e] / size[i] : T(0);
    }
  }
}

template <class T>
void row_scale_backward(T* d_a, const T* d_y, const T* y, const T* size, const int64_t* row_ptr,
                        int64_t rows, const RowScale& form) {
  const T target = form.target;
  for (int64_t i = 0; i < rows; ++i) {
    if (!(size[i] > 0)) continue;
    T along = 0;
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) along += d_y[e] * y[e];
    const T everywhere = form.by_largest ? T(0) : along;
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
      d_a[e] += (target * d_y[e] - everywhere) / size[i];
    }
    if (form.by_largest) {
      const T* largest = std::max_element(y + row_ptr[i], y + row_ptr[i + 1]);
      d_a[largest - y] -= along / size[i];
    }
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

// What a_ij and a_ji become, and the part of its gradient that a_ij has.
template <class T>
T joined(T here, T there, SymmetricForm form) {
  return form == SymmetricForm::kMean ? (here + there) / 2 : std::max(here, there);
}
template <class T>
T share(T here, T there, SymmetricForm form) {
  if (form == SymmetricForm::kMean || here == there) return T(0.5);
  return T(here > there);
}

template <class T>
void symmetric_norm_forward(T* y, T* r, const T* a, const SymmetricUnion& both,
                            SymmetricForm form) {
  const PatternView out = both.pattern().view();
  const auto value = [&](int64_t e) {
    return joined(both.here[e] >= 0 ? a[both.here[e]] : T(0),
                  both.there[e] >= 0 ? a[both.there[e]] : T(0), form);
  };
  for (int64_t i = 0; i < out.rows; ++i) {
    T degree = 1;
    for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) degree += value(e);
    r[i] = 1 / std::sqrt(degree);
  }
  for (int64_t i = 0; i < out.rows; ++i) {
    for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
      y[e] = (value(e) + T(out.col[e] == i)) * (r[i] * r[out.col[e]]);
    }
  }
}

template <class T>
void symmetric_norm_backward(T* d_a, T* scratch, const T* d_y, const T* y, const T* r, const T* a,
                             PatternView pattern, const SymmetricUnion& both, SymmetricForm form) {
  const PatternView out = both.pattern().view();
  const int64_t* mirror = both.mirrored.source.data();
  for (int64_t i = 0; i < out.rows; ++i) {
    T along = 0;
    for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
      along += (d_y[e] + d_y[mirror[e]]) * y[e];
    }
    scratch[i] = -along * r[i] * r[i] / 2;
  }
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const int64_t u = both.place[e], j = pattern.col[e];
      const T there = both.there[u] >= 0 ? a[both.there[u]] : T(0);
      const T gradient = (d_y[u] + d_y[mirror[u]]) * (r[i] * r[j]) + scratch[i] + scratch[j];
      d_a[e] += share(a[e], there, form) * gradient;
    }
  }
}

#define GLGNN_INSTANTIATE(T)                                                                    \
  template void row_scale_forward(T*, T*, const T*, const int64_t*, int64_t, const RowScale&);  \
  template void row_scale_backward(T*, const T*, const T*, const T*, const int64_t*, int64_t,   \
                                   const RowScale&);                                            \
  template void gcn_norm_forward(T*, T*, PatternView, const int64_t*, const T*);                \
  template void gcn_norm_backward(T*, T*, const T*, const T*, const T*, PatternView,            \
                                  const int64_t*);                                              \
  template void symmetric_norm_forward(T*, T*, const T*, const SymmetricUnion&, SymmetricForm); \
  template void symmetric_norm_backward(T*, T*, const T*, const T*, const T*, const T*,         \
                                        PatternView, const SymmetricUnion&, SymmetricForm);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace ref
}  // namespace glgnn
