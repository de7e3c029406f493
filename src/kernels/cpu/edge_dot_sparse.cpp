#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "kernels/cpu/sparse_rows.h"
#include "kernels/edge_dot.h"

namespace glgnn::cpu {
namespace {

// One row of D zeros for each thread; every loop below leaves it zero.
float* zero_rows(int threads, int64_t D) {
  static thread_local Scratch<float> room;
  return room.grow_zeroed(threads * D);
}

// What row i receives from the rows of a list, into `sums` by feature. Gives how many numbers it
// added.
template <class Weight>
int64_t pull_rows(float* sums, const PatternView& list, int64_t i, const ZSparse<float>& z,
                  Weight&& weight) {
  int64_t added = 0;
  for (int64_t e = list.row_ptr[i]; e < list.row_ptr[i + 1]; ++e) {
    const int64_t from = z.pattern.row_ptr[list.col[e]], n = z.pattern.row_size(list.col[e]);
    scatter_add(sums, weight(e), z.pattern.col + from, z.values + from, n);
    added += n;
  }
  return added;
}

// Zeroes what pull_rows has touched.
void clear_rows(float* sums, const PatternView& list, int64_t i, const PatternView& z) {
  for (int64_t e = list.row_ptr[i]; e < list.row_ptr[i + 1]; ++e) {
    const int64_t end = z.row_ptr[list.col[e] + 1];
    for (int64_t a = z.row_ptr[list.col[e]]; a < end; ++a) sums[z.col[a]] = 0;
  }
}

}  // namespace

void edge_dot_forward(float* s, PatternView pattern, const ZSparse<float>& z, int threads) {
  const int64_t D = z.pattern.cols;
  float* rows = zero_rows(threads, D);
  parallel_for(pattern.rows, threads, 64, [&](int64_t i, int thread) {
    float* row = rows + thread * D;
    const int64_t first = z.pattern.row_ptr[i], last = z.pattern.row_ptr[i + 1];
    for (int64_t a = first; a < last; ++a) row[z.pattern.col[a]] = z.values[a];
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const int64_t from = z.pattern.row_ptr[pattern.col[e]];
      s[e] = gather_dot(row, z.pattern.col + from, z.values + from,
                        z.pattern.row_size(pattern.col[e]));
    }
    for (int64_t a = first; a < last; ++a) row[z.pattern.col[a]] = 0;
  });
}

void edge_dot_backward(float* d_z, const float* d_s, PatternView pattern,
                       const TransposeView& transposed, const ZSparse<float>& z, int threads) {
  const int64_t D = z.pattern.cols;
  float* rows = zero_rows(threads, D);
  parallel_for(pattern.rows, threads, 64, [&](int64_t i, int thread) {
    float* sums = rows + thread * D;
    int64_t added = pull_rows(sums, pattern, i, z, [&](int64_t e) { return d_s[e]; });
    added += pull_rows(sums, transposed.pattern, i, z,
                       [&](int64_t q) { return d_s[transposed.source[q]]; });
    for (int64_t a = z.pattern.row_ptr[i]; a < z.pattern.row_ptr[i + 1]; ++a) {
      d_z[a] += sums[z.pattern.col[a]];
    }
    // A cache line in order is as cheap as one number anywhere.
    constexpr int64_t kNumbersOfALine = kAlignment / sizeof(float);
    if (added > D / kNumbersOfALine) {
      std::fill(sums, sums + D, 0.0f);
    } else {
      clear_rows(sums, pattern, i, z.pattern);
      clear_rows(sums, transposed.pattern, i, z.pattern);
    }
  });
}

}  // namespace glgnn::cpu
