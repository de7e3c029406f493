// The k fitted rows that are most similar to each of R other rows: the k largest over j of
//   t_rj = scale_j (Q_r . Z_j) + U_r . V_j - offset_j     ties go to the smaller j
// Z is N x D, Q is R x D, both dense or both sparse; U and V (R x C, N x C) may have no columns. No
// gradient. Memory O(R k + block N), cost O(R N D), or O(sum over q of the rows of its features).
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <memory>

namespace glgnn {

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
