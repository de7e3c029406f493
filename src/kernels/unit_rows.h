// Rows of length `scale`: y_i = scale * x_i / |x_i|; a zero row stays zero and passes no gradient.
//
// Rows are given by row_ptr (row i holds the numbers row_ptr[i] .. row_ptr[i + 1] - 1), which
// serves dense matrices and sparse values alike. Saved: norm, one number a row. Backward: d_x_i +=
// scale / |x_i| * (d_y_i - u (u . d_y_i)), u = x_i / |x_i|. Cost O(numbers).
#pragma once

#include <cstdint>

namespace glgnn::ref {

template <class T>
void unit_rows_forward(T* y, T* norm, const T* x, const int64_t* row_ptr, int64_t rows, T scale);
template <class T>
void unit_rows_backward(T* d_x, const T* d_y, const T* x, const T* norm, const int64_t* row_ptr,
                        int64_t rows, T scale);

}  // namespace glgnn::ref
