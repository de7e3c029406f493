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

SymmetricUnion symmetric_union(PatternView pattern, int threads) {
  const Transpose back = transpose(pattern, threads);
  const int64_t n = pattern.rows;
  // Visits the columns of row i in order: where each stands in the input and in its transpose, -1
  // where it is not.
  const auto for_each_column = [&](int64_t i, auto&& visit) {
    int64_t p = pattern.row_ptr[i], q = back.pattern.row_ptr[i];
    const int64_t p_end = pattern.row_ptr[i + 1], q_end = back.pattern.row_ptr[i + 1];
    bool has_diagonal = false;
    while (p < p_end || q < q_end || !has_diagonal) {
      const int32_t here = p < p_end ? pattern.col[p] : INT32_MAX;
      const int32_t there = q < q_end ? back.pattern.col[q] : INT32_MAX;
      const int32_t loop = has_diagonal ? INT32_MAX : static_cast<int32_t>(i);
      const int32_t column = std::min({here, there, loop});
      has_diagonal = has_diagonal || column == i;
      visit(column, here == column ? p++ : -1, there == column ? q++ : -1);
    }
  };
  SymmetricUnion out;
  Pattern& both = out.mirrored.pattern;
  both.rows = both.cols = n;
  both.row_ptr.resize(n + 1);
  for_row_ranges(n, 8 * pattern.nnz(), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t count = 0;
      for_each_column(i, [&](int32_t, int64_t, int64_t) { ++count; });
      both.row_ptr[i + 1] = count;
    }
  });
  std::partial_sum(both.row_ptr.begin(), both.row_ptr.end(), both.row_ptr.begin());
  both.col.resize(both.row_ptr.back());
  out.here.resize(both.nnz());
  out.there.resize(both.nnz());
  out.place.resize(pattern.nnz());
  for_row_ranges(n, 8 * pattern.nnz(), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t to = both.row_ptr[i];
      for_each_column(i, [&](int32_t column, int64_t p, int64_t q) {
        both.col[to] = column;
        out.here[to] = p;
        out.there[to] = q >= 0 ? back.source[q] : -1;
        if (p >= 0) out.place[p] = to;
        ++to;
      });
    }
  });
  // Of entry (i, j), where (j, i) is.
  out.mirrored.source.resize(both.nnz());
  for_row_ranges(n, 16 * both.nnz(), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t e = both.row_ptr[i]; e < both.row_ptr[i + 1]; ++e) {
        const auto row = both.col.begin() + both.row_ptr[both.col[e]];
        const auto row_end = both.col.begin() + both.row_ptr[both.col[e] + 1];
        out.mirrored.source[e] =
            std::lower_bound(row, row_end, static_cast<int32_t>(i)) - both.col.begin();
      }
    }
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

void symmetric_norm_forward(float* y, float* r, const float* a, const SymmetricUnion& both,
                            SymmetricForm form, int threads, const FillOthers& fill_others) {
  const PatternView out = both.pattern().view();
  const bool mean = form == SymmetricForm::kMean;
  // y is B first.
  for_row_ranges(out.rows, 2 * cost(out), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float degree = 1;
      for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
        const float here = both.here[e] >= 0 ? a[both.here[e]] : 0.0f;
        const float there = both.there[e] >= 0 ? a[both.there[e]] : 0.0f;
        y[e] = mean ? (here + there) / 2 : std::max(here, there);
        degree += y[e];
      }
      r[i] = 1 / std::sqrt(degree);
    }
  });
  if (fill_others) fill_others(r);
  for_row_ranges(out.rows, cost(out), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
        y[e] = (y[e] + static_cast<float>(out.col[e] == i)) * (r[i] * r[out.col[e]]);
      }
    }
  });
}

void symmetric_norm_backward(float* d_a, const float* d_y, const float* y, const float* r,
                             const float* a, PatternView pattern, const SymmetricUnion& both,
                             SymmetricForm form, int threads, const FillOthers& fill_others) {
  const PatternView out = both.pattern().view();
  const int64_t* mirror = both.mirrored.source.data();
  static thread_local Scratch<float> room;
  float* const d_degree = room.grow(out.rows);
  for_row_ranges(out.rows, cost(out), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float along = 0;
      for (int64_t e = out.row_ptr[i]; e < out.row_ptr[i + 1]; ++e) {
        along += (d_y[e] + d_y[mirror[e]]) * y[e];
      }
      d_degree[i] = -along * r[i] * r[i] / 2;
    }
  });
  if (fill_others) fill_others(d_degree);
  for_row_ranges(pattern.rows, 2 * cost(pattern), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
        const int64_t u = both.place[e], j = pattern.col[e];
        const float gradient =
            (d_y[u] + d_y[mirror[u]]) * (r[i] * r[j]) + d_degree[i] + d_degree[j];
        float share = 0.5f;
        if (form == SymmetricForm::kMax) {
          const float there = both.there[u] >= 0 ? a[both.there[u]] : 0.0f;
          share = a[e] == there ? 0.5f : static_cast<float>(a[e] > there);
        }
        d_a[e] += share * gradient;
      }
    }
  });
  room.release_if_large();
}

}  // namespace cpu
}  // namespace glgnn
