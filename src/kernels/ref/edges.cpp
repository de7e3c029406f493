#include "kernels/edges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/parallel.h"

namespace glgnn {

// Pieces of rows count their entries of each column, which says where each of them writes: the
// result is the same for any number of pieces.
Transpose transpose(PatternView pattern, int threads) {
  constexpr int64_t kEntriesWorthAPiece = 16384;
  const int64_t most = std::max<int64_t>(1, pattern.nnz() / std::max<int64_t>(1, pattern.cols));
  const int64_t pieces = std::clamp<int64_t>(std::min(pattern.nnz() / kEntriesWorthAPiece, most), 1,
                                             std::max(1, threads));
  const auto first_row = [&](int64_t piece) { return pattern.rows * piece / pieces; };
  Transpose out;
  out.pattern.rows = pattern.cols;
  out.pattern.cols = pattern.rows;
  out.pattern.row_ptr.assign(pattern.cols + 1, 0);
  out.pattern.col.resize(pattern.nnz());
  out.source.resize(pattern.nnz());
  std::vector<int64_t> next(pieces * pattern.cols, 0);  // of each piece, where a column goes on
  parallel_for(pieces, threads, 1, [&](int64_t piece) {
    int64_t* const count = next.data() + piece * pattern.cols;
    for (int64_t e = pattern.row_ptr[first_row(piece)]; e < pattern.row_ptr[first_row(piece + 1)];
         ++e) {
      ++count[pattern.col[e]];
    }
  });
  int64_t at = 0;
  for (int64_t j = 0; j < pattern.cols; ++j) {
    for (int64_t piece = 0; piece < pieces; ++piece) {
      int64_t& count = next[piece * pattern.cols + j];
      at += std::exchange(count, at);
    }
    out.pattern.row_ptr[j + 1] = at;
  }
  parallel_for(pieces, threads, 1, [&](int64_t piece) {
    int64_t* const slot = next.data() + piece * pattern.cols;
    for (int64_t i = first_row(piece); i < first_row(piece + 1); ++i) {
      for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
        const int64_t to = slot[pattern.col[e]]++;
        out.pattern.col[to] = static_cast<int32_t>(i);
        out.source[to] = e;
      }
    }
  });
  return out;
}

namespace ref {
namespace {

// Dot product of two sparse rows, columns ascending in both.
template <class T>
T sparse_dot(const ZSparse<T>& z, int64_t i, int64_t j) {
  T sum = 0;
  int64_t a = z.pattern.row_ptr[i], b = z.pattern.row_ptr[j];
  while (a < z.pattern.row_ptr[i + 1] && b < z.pattern.row_ptr[j + 1]) {
    const int32_t column_a = z.pattern.col[a], column_b = z.pattern.col[b];
    if (column_a == column_b) sum += z.values[a] * z.values[b];
    a += column_a <= column_b;
    b += column_b <= column_a;
  }
  return sum;
}

// d_z of row i += weight * Z_j, where row i has an entry.
template <class T>
void sparse_axpy(T* d_z, T weight, const ZSparse<T>& z, int64_t i, int64_t j) {
  int64_t a = z.pattern.row_ptr[i], b = z.pattern.row_ptr[j];
  while (a < z.pattern.row_ptr[i + 1] && b < z.pattern.row_ptr[j + 1]) {
    const int32_t column_a = z.pattern.col[a], column_b = z.pattern.col[b];
    if (column_a == column_b) d_z[a] += weight * z.values[b];
    a += column_a <= column_b;
    b += column_b <= column_a;
  }
}

template <class T>
void dense_axpy(MatView<T> d_z, T weight, const ZDense<T>& z, int64_t i, int64_t j) {
  for (int64_t f = 0; f < z.z.cols; ++f) d_z[i][f] += weight * z.z[j][f];
}

// Calls axpy(weight, i, j) for all that row i receives: its own entries, then the transposed ones.
template <class T, class Axpy>
void for_each_pull(const T* d_s, PatternView pattern, const TransposeView& transposed,
                   Axpy&& axpy) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      axpy(d_s[e], i, pattern.col[e]);
    }
    for (int64_t q = transposed.pattern.row_ptr[i]; q < transposed.pattern.row_ptr[i + 1]; ++q) {
      axpy(d_s[transposed.source[q]], i, transposed.pattern.col[q]);
    }
  }
}

}  // namespace

template <class T>
void edge_dot_forward(T* s, PatternView pattern, const ZDense<T>& z) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      s[e] = 0;
      for (int64_t f = 0; f < z.z.cols; ++f) s[e] += z.z[i][f] * z.z[pattern.col[e]][f];
    }
  }
}

template <class T>
void edge_dot_forward(T* s, PatternView pattern, const ZSparse<T>& z) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      s[e] = sparse_dot(z, i, pattern.col[e]);
    }
  }
}

template <class T>
void edge_dot_backward(MatView<T> d_z, const T* d_s, PatternView pattern,
                       const TransposeView& transposed, const ZDense<T>& z) {
  for_each_pull(d_s, pattern, transposed,
                [&](T weight, int64_t i, int64_t j) { dense_axpy(d_z, weight, z, i, j); });
}

template <class T>
void edge_dot_backward(T* d_z, const T* d_s, PatternView pattern, const TransposeView& transposed,
                       const ZSparse<T>& z) {
  for_each_pull(d_s, pattern, transposed,
                [&](T weight, int64_t i, int64_t j) { sparse_axpy(d_z, weight, z, i, j); });
}

template <class T>
void edge_exp_forward(T* p, const T* s, const T* lse, const int64_t* row_ptr, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) p[e] = std::exp(s[e] - lse[i]);
  }
}

template <class T>
void edge_exp_backward(T* d_s, T* d_lse, const T* d_p, const T* p, const int64_t* row_ptr,
                       int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
      d_s[e] += d_p[e] * p[e];
      d_lse[i] -= d_p[e] * p[e];
    }
  }
}

template <class T>
void edge_softmax_forward(T* p, const T* s, const int64_t* row_ptr, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    T top = -std::numeric_limits<T>::infinity(), sum = 0;
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) top = std::max(top, s[e]);
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) sum += p[e] = std::exp(s[e] - top);
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) p[e] /= sum;
  }
}

template <class T>
void edge_softmax_backward(T* d_s, const T* d_p, const T* p, const int64_t* row_ptr, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    T along = 0;
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) along += d_p[e] * p[e];
    for (int64_t e = row_ptr[i]; e < row_ptr[i + 1]; ++e) d_s[e] += p[e] * (d_p[e] - along);
  }
}

template <class T>
void spmm_forward(MatView<T> y, PatternView pattern, const T* values, MatView<const T> x) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t h = 0; h < x.cols; ++h) y[i][h] = 0;
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      for (int64_t h = 0; h < x.cols; ++h) y[i][h] += values[e] * x[pattern.col[e]][h];
    }
  }
}

template <class T>
void spmm_backward_values(T* d_values, PatternView pattern, MatView<const T> d_y,
                          MatView<const T> x) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      for (int64_t h = 0; h < x.cols; ++h) d_values[e] += d_y[i][h] * x[pattern.col[e]][h];
    }
  }
}

template <class T>
void spmm_backward_x(MatView<T> d_x, const TransposeView& transposed, const T* values,
                     MatView<const T> d_y) {
  for (int64_t j = 0; j < transposed.pattern.rows; ++j) {
    for (int64_t q = transposed.pattern.row_ptr[j]; q < transposed.pattern.row_ptr[j + 1]; ++q) {
      const T value = values[transposed.source[q]];
      for (int64_t h = 0; h < d_y.cols; ++h) d_x[j][h] += value * d_y[transposed.pattern.col[q]][h];
    }
  }
}

template <class T>
void selected_dot_forward(T* dots, PatternView pattern, const ZSelected<T>& z) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const int64_t j = pattern.col[e];
      T sum = 0;
      for (int64_t c = 0; c < z.labels.cols; ++c) sum += z.labels[i][c] * z.other_labels[j][c];
      for (int64_t f = 0; f < z.x.cols; ++f) {
        sum += (z.x[i][f] * z.s[f]) * (z.other_x[j][f] * z.s[f]);
      }
      dots[e] = sum;
    }
  }
}

template <class T>
void selected_dot_backward(T* d_s, const T* d_dots, PatternView pattern, const ZSelected<T>& z) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const int64_t j = pattern.col[e];
      for (int64_t f = 0; f < z.x.cols; ++f) {
        d_s[f] += d_dots[e] * 2 * z.s[f] * z.x[i][f] * z.other_x[j][f];
      }
    }
  }
}

template <class T>
void feature_select_forward(MatView<T> z, MatView<const T> x, const T* s, MatView<const T> labels) {
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t c = 0; c < labels.cols; ++c) z[i][c] = labels[i][c];
    for (int64_t f = 0; f < x.cols; ++f) z[i][labels.cols + f] = x[i][f] * s[f];
  }
}

template <class T>
void feature_select_backward(T* d_s, MatView<const T> d_z, MatView<const T> x) {
  const int64_t label_cols = d_z.cols - x.cols;
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t f = 0; f < x.cols; ++f) d_s[f] += d_z[i][label_cols + f] * x[i][f];
  }
}

template <class T>
void feature_select_sparse_forward(T* z, PatternView pattern, const T* xl, const T* s,
                                   int64_t label_cols) {
  for (int64_t e = 0; e < pattern.nnz(); ++e) {
    const int64_t column = pattern.col[e];
    z[e] = column < label_cols ? xl[e] : xl[e] * s[column - label_cols];
  }
}

template <class T>
void feature_select_sparse_backward(T* d_s, const T* d_z, PatternView pattern, const T* xl,
                                    int64_t label_cols) {
  for (int64_t e = 0; e < pattern.nnz(); ++e) {
    const int64_t column = pattern.col[e];
    if (column >= label_cols) d_s[column - label_cols] += d_z[e] * xl[e];
  }
}

template <class T>
void concat_forward(MatView<T> z, MatView<const T> labels, MatView<const T> x) {
  for (int64_t i = 0; i < x.rows; ++i) {
    for (int64_t c = 0; c < labels.cols; ++c) z[i][c] = labels[i][c];
    for (int64_t f = 0; f < x.cols; ++f) z[i][labels.cols + f] = x[i][f];
  }
}

template <class T>
void concat_backward(MatView<T> d_x, MatView<const T> d_z) {
  const int64_t label_cols = d_z.cols - d_x.cols;
  for (int64_t i = 0; i < d_x.rows; ++i) {
    for (int64_t f = 0; f < d_x.cols; ++f) d_x[i][f] += d_z[i][label_cols + f];
  }
}

#define GLGNN_INSTANTIATE(T)                                                                      \
  template void edge_dot_forward(T*, PatternView, const ZDense<T>&);                              \
  template void edge_dot_forward(T*, PatternView, const ZSparse<T>&);                             \
  template void edge_dot_backward(MatView<T>, const T*, PatternView, const TransposeView&,        \
                                  const ZDense<T>&);                                              \
  template void edge_dot_backward(T*, const T*, PatternView, const TransposeView&,                \
                                  const ZSparse<T>&);                                             \
  template void edge_exp_forward(T*, const T*, const T*, const int64_t*, int64_t);                \
  template void edge_exp_backward(T*, T*, const T*, const T*, const int64_t*, int64_t);           \
  template void edge_softmax_forward(T*, const T*, const int64_t*, int64_t);                      \
  template void edge_softmax_backward(T*, const T*, const T*, const int64_t*, int64_t);           \
  template void spmm_forward(MatView<T>, PatternView, const T*, MatView<const T>);                \
  template void spmm_backward_values(T*, PatternView, MatView<const T>, MatView<const T>);        \
  template void spmm_backward_x(MatView<T>, const TransposeView&, const T*, MatView<const T>);    \
  template void selected_dot_forward(T*, PatternView, const ZSelected<T>&);                       \
  template void selected_dot_backward(T*, const T*, PatternView, const ZSelected<T>&);            \
  template void feature_select_forward(MatView<T>, MatView<const T>, const T*, MatView<const T>); \
  template void feature_select_backward(T*, MatView<const T>, MatView<const T>);                  \
  template void concat_forward(MatView<T>, MatView<const T>, MatView<const T>);                   \
  template void concat_backward(MatView<T>, MatView<const T>);                                    \
  template void feature_select_sparse_forward(T*, PatternView, const T*, const T*, int64_t);      \
  template void feature_select_sparse_backward(T*, const T*, PatternView, const T*, int64_t);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace ref
}  // namespace glgnn
