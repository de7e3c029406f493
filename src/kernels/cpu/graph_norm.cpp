#include "kernels/graph_norm.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "kernels/cpu/scratch.h"

namespace glgnn {
namespace {

bool has_loop(const PatternView& pattern, int64_t i) {
  return std::binary_search(pattern.col + pattern.row_ptr[i], pattern.col + pattern.row_ptr[i + 1],
                            static_cast<int32_t>(i));
}

void copy_row_with_loop(SelfLoops& out, const PatternView& pattern, int64_t i) {
  int64_t to = out.pattern.row_ptr[i], e = pattern.row_ptr[i];
  const int64_t end = pattern.row_ptr[i + 1];
  const auto copy_entry = [&] {
    out.pattern.col[to] = pattern.col[e];
    out.source[to++] = e++;
  };
  while (e < end && pattern.col[e] < i) copy_entry();
  if (e == end || pattern.col[e] != i) {
    out.pattern.col[to] = static_cast<int32_t>(i);
    out.source[to++] = -1;
  }
  while (e < end) copy_entry();
}

}  // namespace

SelfLoops add_self_loops(PatternView pattern, int threads) {
  SelfLoops out;
  out.pattern.rows = pattern.rows;
  out.pattern.cols = pattern.cols;
  std::vector<int64_t>& row_ptr = out.pattern.row_ptr;
  row_ptr.resize(pattern.rows + 1);
  for_row_ranges(pattern.rows, 16 * pattern.rows, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      row_ptr[i + 1] = pattern.row_size(i) + !has_loop(pattern, i);
    }
  });
  std::partial_sum(row_ptr.begin(), row_ptr.end(), row_ptr.begin());
  out.pattern.col.resize(row_ptr.back());
  out.source.resize(row_ptr.back());
  for_row_ranges(pattern.rows, pattern.nnz(), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) copy_row_with_loop(out, pattern, i);
  });
  return out;
}

namespace cpu {
namespace {

// Counted thrice each: the columns of an entry lie anywhere.
int64_t cost(const PatternView& pattern) { return 3 * pattern.nnz(); }

}  // namespace

void gcn_norm_forward(float* y, float* r, PatternView out, const int64_t* source, const float* a,
                      int threads) {
  for_row_ranges(out.rows, cost(out), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float degree = 1;
      for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
        if (source[e] >= 0) degree += a[source[e]];
      }
      r[i] = 1 / std::sqrt(degree);
    }
  });
  for_row_ranges(out.rows, cost(out), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
        const float value = (source[e] >= 0 ? a[source[e]] : 0.0f) + (out.col[e] == i);
        y[e] = value * r[i] * r[out.col[e]];
      }
    }
  });
}

void gcn_norm_backward(float* d_a, const float* d_y, const float* y, const float* r,
                       PatternView out, const TransposeView& transposed, const int64_t* source,
                       int threads) {
  // d_y y first, in order: a column reads its entries from anywhere, and one list is faster than
  // two.
  static thread_local Scratch<float> room;
  float* const products = room.grow(out.nnz());
  for_row_ranges(out.nnz(), out.nnz(), threads, [&](int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e) products[e] = d_y[e] * y[e];
  });
  for_row_ranges(out.rows, 2 * cost(out), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float in_row = 0, in_column = 0;
      for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) in_row += products[e];
      const PatternView& back = transposed.pattern;
      for (int64_t q = back.row_ptr[i]; q < back.row_ptr[i + 1]; ++q) {
        in_column += products[transposed.source[q]];
      }
      const float d_degree = -(in_row + in_column) * r[i] * r[i] / 2;
      for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
        if (source[e] >= 0) d_a[source[e]] += d_y[e] * r[i] * r[out.col[e]] + d_degree;
      }
    }
  });
  room.release_if_large();
}

}  // namespace cpu
}  // namespace glgnn
