#include "kernels/graph_learn.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace glgnn {

void keep_best(int32_t* col, int64_t* count, PatternView candidates, const float* t, int64_t k) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < candidates.rows; ++i) {
    order.resize(candidates.row_size(i));
    std::iota(order.begin(), order.end(), candidates.row_ptr[i]);
    count[i] = std::min(k, candidates.row_size(i));
    const auto better = [&](int64_t a, int64_t b) { return t[a] != t[b] ? t[a] > t[b] : a < b; };
    std::partial_sort(order.begin(), order.begin() + count[i], order.end(), better);
    std::sort(order.begin(), order.begin() + count[i]);
    for (int64_t r = 0; r < count[i]; ++r) col[i * k + r] = candidates.col[order[r]];
  }
}

}  // namespace glgnn

namespace glgnn::ref {
namespace {

// One row of S, into a buffer of N numbers.
template <class T>
void similarity_row(T* out, const ZDense<T>& z, int64_t i) {
  for (int64_t j = 0; j < z.rows(); ++j) {
    out[j] = 0;
    for (int64_t f = 0; f < z.z.cols; ++f) out[j] += z.z[i][f] * z.z[j][f];
  }
}

template <class T>
void similarity_row(T* out, const ZSparse<T>& z, int64_t i) {
  std::fill(out, out + z.rows(), T(0));
  for (int64_t e = z.pattern.row_ptr[i]; e < z.pattern.row_ptr[i + 1]; ++e) {
    const int64_t f = z.pattern.col[e];
    for (int64_t q = z.by_column.row_ptr[f]; q < z.by_column.row_ptr[f + 1]; ++q) {
      out[z.by_column.col[q]] += z.values[e] * z.values[z.source[q]];
    }
  }
}

template <class T>
T log_sum_exp(const std::vector<T>& s, int64_t i, bool diagonal) {
  T top = -std::numeric_limits<T>::infinity();
  for (size_t j = 0; j < s.size(); ++j) {
    if (diagonal || static_cast<int64_t>(j) != i) top = std::max(top, s[j]);
  }
  T sum = 0;
  for (size_t j = 0; j < s.size(); ++j) {
    if (diagonal || static_cast<int64_t>(j) != i) sum += std::exp(s[j] - top);
  }
  return top + std::log(sum);
}

// Row i of t = S + log h, from that of S, in place.
template <class T>
void add_log_hops(std::vector<T>& t, const HopWeights<T>& hops, int64_t i) {
  if (hops.shells) {
    const HopShells& shells = *hops.shells;
    std::vector<uint64_t> room(shells.hops() * shells.words());
    const RowMarks marks = shells.marks(i, 0, shells.words(), room.data());
    for (size_t j = 0; j < t.size(); ++j) {
      int64_t d = 0;
      const auto is_within = [&] {
        return marks.words[d * marks.stride + j / kMarkedColumns] >> (j % kMarkedColumns) & 1;
      };
      while (d < shells.hops() && !is_within()) ++d;
      t[j] += std::log(hops.h_of_shell[d]);
    }
    return;
  }
  if (hops.near.rows == 0) return;
  const T log_other = std::log(hops.h_other);
  for (T& value : t) value += log_other;
  for (int64_t e = hops.near.row_ptr[i]; e < hops.near.row_ptr[i + 1]; ++e) {
    t[hops.near.col[e]] += std::log(hops.h[e]) - log_other;
  }
}

// The k best of the columns in `order` by t; returns how many there are.
template <class T>
int64_t keep_best_columns(int32_t* col, std::vector<int32_t>& order, const std::vector<T>& t,
                          int64_t k) {
  const int64_t count = std::min<int64_t>(k, static_cast<int64_t>(order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](int32_t a, int32_t b) { return t[a] != t[b] ? t[a] > t[b] : a < b; });
  std::sort(order.begin(), order.begin() + count);
  std::copy(order.begin(), order.begin() + count, col);
  return count;
}

template <class T, class Z>
void choose(int32_t* col, int64_t* count, T* lse, const Z& z, const HopWeights<T>& hops,
            const ChooseOptions& options) {
  const int64_t n = z.rows();
  std::vector<T> t(n);
  std::vector<int32_t> order;
  for (int64_t i = 0; i < n; ++i) {
    similarity_row(t.data(), z, i);
    if (lse) lse[i] = log_sum_exp(t, i, options.diagonal);
    order.clear();
    for (int64_t j = 0; j < n; ++j) {
      const bool allowed = (options.diagonal || j != i) && (!options.positive_only || t[j] > 0);
      if (allowed) order.push_back(static_cast<int32_t>(j));
    }
    add_log_hops(t, hops, i);
    count[i] = keep_best_columns(col + i * options.k, order, t, options.k);
  }
}

template <class T, class Z>
void draw(int32_t* col, int64_t* count, const Z& z, const HopWeights<T>& hops,
          const ChooseOptions& options, const Rng& rng, int64_t first, int64_t last) {
  const int64_t n = z.rows();
  std::vector<T> t(n);
  std::vector<int32_t> order;
  for (int64_t i = first; i < last; ++i) {
    similarity_row(t.data(), z, i);
    add_log_hops(t, hops, i);
    order.clear();
    for (int64_t j = 0; j < n; ++j) {
      t[j] -= std::log(-std::log(static_cast<T>(rng.uniform(i * n + j))));
      if (options.diagonal || j != i) order.push_back(static_cast<int32_t>(j));
    }
    count[i] = keep_best_columns(col + i * options.k, order, t, options.k);
  }
}

// weights[j] = d_lse_i exp(S_ij - lse_i) + d_lse_j exp(S_ij - lse_j), from row i of S, in place.
template <class T>
void lse_weights(std::vector<T>& s, const T* d_lse, const T* lse, int64_t i, bool diagonal) {
  for (size_t j = 0; j < s.size(); ++j) {
    const bool counts = diagonal || static_cast<int64_t>(j) != i;
    s[j] = counts ? d_lse[i] * std::exp(s[j] - lse[i]) + d_lse[j] * std::exp(s[j] - lse[j]) : T(0);
  }
}

}  // namespace

template <class T>
void graph_learn_choose(int32_t* col, int64_t* count, T* lse, const ZDense<T>& z,
                        const HopWeights<T>& hops, const ChooseOptions& options) {
  choose(col, count, lse, z, hops, options);
}

template <class T>
void graph_learn_choose(int32_t* col, int64_t* count, T* lse, const ZSparse<T>& z,
                        const HopWeights<T>& hops, const ChooseOptions& options) {
  choose(col, count, lse, z, hops, options);
}

template <class T>
void graph_learn_draw(int32_t* col, int64_t* count, const ZDense<T>& z, const HopWeights<T>& hops,
                      const ChooseOptions& options, const Rng& rng, int64_t first, int64_t last) {
  draw(col, count, z, hops, options, rng, first, last);
}

template <class T>
void graph_learn_draw(int32_t* col, int64_t* count, const ZSparse<T>& z, const HopWeights<T>& hops,
                      const ChooseOptions& options, const Rng& rng, int64_t first, int64_t last) {
  draw(col, count, z, hops, options, rng, first, last);
}

template <class T>
void graph_learn_lse_backward(MatView<T> d_z, const T* d_lse, const ZDense<T>& z, const T* lse,
                              bool diagonal) {
  std::vector<T> weights(z.rows());
  for (int64_t i = 0; i < z.rows(); ++i) {
    similarity_row(weights.data(), z, i);
    lse_weights(weights, d_lse, lse, i, diagonal);
    for (int64_t j = 0; j < z.rows(); ++j) {
      for (int64_t f = 0; f < z.z.cols; ++f) d_z[i][f] += weights[j] * z.z[j][f];
    }
  }
}

template <class T>
void graph_learn_lse_backward(T* d_z, const T* d_lse, const ZSparse<T>& z, const T* lse,
                              bool diagonal) {
  std::vector<T> weights(z.rows());
  for (int64_t i = 0; i < z.rows(); ++i) {
    similarity_row(weights.data(), z, i);
    lse_weights(weights, d_lse, lse, i, diagonal);
    for (int64_t e = z.pattern.row_ptr[i]; e < z.pattern.row_ptr[i + 1]; ++e) {
      const int64_t f = z.pattern.col[e];
      for (int64_t q = z.by_column.row_ptr[f]; q < z.by_column.row_ptr[f + 1]; ++q) {
        d_z[e] += weights[z.by_column.col[q]] * z.values[z.source[q]];
      }
    }
  }
}

#define GLGNN_INSTANTIATE(T)                                                                       \
  template void graph_learn_choose(int32_t*, int64_t*, T*, const ZDense<T>&, const HopWeights<T>&, \
                                   const ChooseOptions&);                                          \
  template void graph_learn_choose(int32_t*, int64_t*, T*, const ZSparse<T>&,                      \
                                   const HopWeights<T>&, const ChooseOptions&);                    \
  template void graph_learn_draw(int32_t*, int64_t*, const ZDense<T>&, const HopWeights<T>&,       \
                                 const ChooseOptions&, const Rng&, int64_t, int64_t);              \
  template void graph_learn_draw(int32_t*, int64_t*, const ZSparse<T>&, const HopWeights<T>&,      \
                                 const ChooseOptions&, const Rng&, int64_t, int64_t);              \
  template void graph_learn_lse_backward(MatView<T>, const T*, const ZDense<T>&, const T*, bool);  \
  template void graph_learn_lse_backward(T*, const T*, const ZSparse<T>&, const T*, bool);
GLGNN_INSTANTIATE(float)
GLGNN_INSTANTIATE(double)

}  // namespace glgnn::ref
