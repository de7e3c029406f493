// The k best of many: of a row of numbers, of all rows for each row, of the fitted rows for a new
// one.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/dense.h"

namespace glgnn {

// The k largest of a row of numbers.

// Writes the columns of the `kept` largest of t[0 .. n - 1], ascending; ties go to the smaller
// column. `heap` is room to work in.
template <class T>
void best_columns(int32_t* col, const T* t, int64_t n, int64_t kept, std::vector<int32_t>& heap) {
  constexpr int64_t kChunk = 32;  // looked at without a branch for each
  const auto is_better = [t](int32_t a, int32_t b) { return t[a] != t[b] ? t[a] > t[b] : a < b; };
  const auto has_better = [t](int64_t first, T worst) {
    int found = 0;
    for (int64_t j = first; j < first + kChunk; ++j) found |= t[j] > worst;
    return found != 0;
  };
  heap.clear();  // its top is the worst of those kept
  for (int64_t first = 0; first < n && kept > 0; first += kChunk) {
    const int64_t last = std::min(n, first + kChunk);
    const bool is_full = static_cast<int64_t>(heap.size()) == kept;
    // A later column of the same number is not better.
    if (is_full && last - first == kChunk && !has_better(first, t[heap.front()])) continue;
    for (auto j = static_cast<int32_t>(first); j < last; ++j) {
      if (static_cast<int64_t>(heap.size()) < kept) {
        heap.push_back(j);
        std::push_heap(heap.begin(), heap.end(), is_better);
      } else if (is_better(j, heap.front())) {
        std::pop_heap(heap.begin(), heap.end(), is_better);
        heap.back() = j;
        std::push_heap(heap.begin(), heap.end(), is_better);
      }
    }
  }
  std::copy(heap.begin(), heap.end(), col);
  std::sort(col, col + heap.size());
}

// The k rows nearest to each row by Euclidean distance: the k largest of
//   t_ij = Z_i . Z_j - |Z_j|^2 / 2     over j != i; ties go to the smaller column
// (|Z_i - Z_j|^2 = |Z_i|^2 - 2 t_ij). Z is N x D, dense. No gradient. In the tiles of
// graph_learn.h: memory O(N k + N D), cost O(N^2 D).

namespace ref {

// col: N x min(k, N - 1), ascending in each row.
template <class T>
void nearest_rows(int32_t* col, MatView<const T> z, int64_t k);

}  // namespace ref

namespace cpu {

void nearest_rows(int32_t* col, MatView<const float> z, int64_t k, int threads);

}  // namespace cpu

namespace cuda {

void nearest_rows(int32_t* col, MatView<const float> z, int64_t k);

// By angle instead, the most similar first, the smaller row of two that are alike. Rows of zeros
// are similar to none: as similar to one as to another.
void ranked_rows(int32_t* col, const HeldMatrix& x, int64_t k);

}  // namespace cuda

// The k fitted rows that are most similar to each of R other rows: the k largest over j of
//   t_rj = scale_j (Q_r . Z_j) + U_r . V_j - offset_j     ties go to the smaller j
// Z is N x D, Q is R x D, both dense or both sparse; U and V (R x C, N x C) may have no columns. No
// gradient. Memory O(R k + block N), cost O(R N D), or O(sum over q of the rows of its features).

// What is the same for every query; scale and offset have N numbers each.
template <class T>
struct QueryTerms {
  const T* scale;
  const T* offset;
  MatView<const T> u, v;
};

// Z of sparse queries, by columns.
template <class T>
struct RowsByColumn {
  PatternView by_column;  // D x N
  const T* values;        // of its entries
};

namespace ref {

// col: R x min(k, N), ascending in each row.
template <class T>
void query_rows(int32_t* col, MatView<const T> q, MatView<const T> z, const QueryTerms<T>& terms,
                int64_t k);
template <class T>
void query_rows(int32_t* col, PatternView q, const T* values, const RowsByColumn<T>& z,
                const QueryTerms<T>& terms, int64_t k);

}  // namespace ref

namespace cpu {

void query_rows(int32_t* col, MatView<const float> q, MatView<const float> z,
                const QueryTerms<float>& terms, int64_t k, int threads);
void query_rows(int32_t* col, PatternView q, const float* values, const RowsByColumn<float>& z,
                const QueryTerms<float>& terms, int64_t k, int threads);

}  // namespace cpu

namespace cuda {

// Dense Z with its scale, offset and V on the device, for as many queries as are wanted.
class HeldRows {
 public:
  HeldRows(MatView<const float> z, const float* scale, const float* offset, MatView<const float> v);
  ~HeldRows();

  // u may have no columns: then it is 0.
  void query(int32_t* col, MatView<const float> q, MatView<const float> u, int64_t k) const;

 private:
  struct Arrays;
  std::unique_ptr<const Arrays> arrays_;
};

}  // namespace cuda
}  // namespace glgnn
