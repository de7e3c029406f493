// The k rows nearest to each row by Euclidean distance: the k largest of
//   t_ij = Z_i . Z_j - |Z_j|^2 / 2     over j != i; ties go to the smaller column
// (|Z_i - Z_j|^2 = |Z_i|^2 - 2 t_ij). Z is N x D, dense. No gradient. In the tiles of
// graph_learn.h: memory O(N k + N D), cost O(N^2 D).
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>

namespace glgnn {
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

}  // namespace cuda
}  // namespace glgnn
