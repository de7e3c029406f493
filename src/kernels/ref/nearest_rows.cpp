#include "kernels/nearest_rows.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace glgnn::ref {

template <class T>
void nearest_rows(int32_t* col, MatView<const T> z, int64_t k) {
  const int64_t kept = std::min(k, z.rows - 1);
  std::vector<T> t(z.rows);
  std::vector<int32_t> order(z.rows);
  for (int64_t i = 0; i < z.rows; ++i) {
    for (int64_t j = 0; j < z.rows; ++j) {
      T dot = 0, square = 0;
      for (int64_t d = 0; d < z.cols; ++d) dot += z[i][d] * z[j][d], square += z[j][d] * z[j][d];
      t[j] = dot - square / 2;
    }
    std::iota(order.begin(), order.end(), 0);
    order.erase(order.begin() + i);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return t[a] > t[b]; });
    std::sort(order.begin(), order.begin() + kept);
    std::copy(order.begin(), order.begin() + kept, col + i * kept);
    order.resize(z.rows);
  }
}

template void nearest_rows(int32_t*, MatView<const float>, int64_t);
template void nearest_rows(int32_t*, MatView<const double>, int64_t);

namespace {

// `t` holds the products with Z on entry.
template <class T>
void finish_row(int32_t* col, std::vector<T>& t, int64_t r, const QueryTerms<T>& terms,
                int64_t kept, std::vector<int32_t>& heap) {
  const auto n = static_cast<int64_t>(t.size());
  for (int64_t j = 0; j < n; ++j) {
    T with = 0;
    for (int64_t c = 0; c < terms.u.cols; ++c) with += terms.u[r][c] * terms.v[j][c];
    t[j] = terms.scale[j] * t[j] + with - terms.offset[j];
  }
  best_columns(col, t.data(), n, kept, heap);
}

}  // namespace

template <class T>
void query_rows(int32_t* col, MatView<const T> q, MatView<const T> z, const QueryTerms<T>& terms,
                int64_t k) {
  const int64_t kept = std::min(k, z.rows);
  std::vector<int32_t> heap;
  for (int64_t r = 0; r < q.rows; ++r) {
    std::vector<T> t(z.rows, T{0});
    for (int64_t j = 0; j < z.rows; ++j) {
      for (int64_t d = 0; d < z.cols; ++d) t[j] += q[r][d] * z[j][d];
    }
    finish_row(col + r * kept, t, r, terms, kept, heap);
  }
}

template <class T>
void query_rows(int32_t* col, PatternView q, const T* values, const RowsByColumn<T>& z,
                const QueryTerms<T>& terms, int64_t k) {
  const int64_t n = z.by_column.cols, kept = std::min(k, n);
  std::vector<int32_t> heap;
  for (int64_t r = 0; r < q.rows; ++r) {
    std::vector<T> t(n, T{0});
    for (int64_t e = q.row_ptr[r]; e < q.row_ptr[r + 1]; ++e) {
      const int32_t f = q.col[e];
      for (int64_t s = z.by_column.row_ptr[f]; s < z.by_column.row_ptr[f + 1]; ++s) {
        t[z.by_column.col[s]] += values[e] * z.values[s];
      }
    }
    finish_row(col + r * kept, t, r, terms, kept, heap);
  }
}

template void query_rows(int32_t*, MatView<const float>, MatView<const float>,
                         const QueryTerms<float>&, int64_t);
template void query_rows(int32_t*, MatView<const double>, MatView<const double>,
                         const QueryTerms<double>&, int64_t);
template void query_rows(int32_t*, PatternView, const float*, const RowsByColumn<float>&,
                         const QueryTerms<float>&, int64_t);
template void query_rows(int32_t*, PatternView, const double*, const RowsByColumn<double>&,
                         const QueryTerms<double>&, int64_t);

}  // namespace glgnn::ref
