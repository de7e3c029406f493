// Loops over sparse rows. They are scalar: the time goes into scattered loads and stores, for which
// the vector instructions are no faster.
#pragma once

#include <cstdint>

#include "core/parallel.h"
#include "kernels/cpu/scratch.h"
#include "kernels/graph_learn.h"

namespace glgnn::cpu {

// out[col[q]] += weight * values[q] for q = 0 .. n - 1; the columns are all different.
inline void scatter_add(float* __restrict out, float weight, const int32_t* __restrict col,
                        const float* __restrict values, int64_t n) {
  int64_t q = 0;
  for (; q + 4 <= n; q += 4) {
    // The four loads come before the stores, which the compiler may not assume to be elsewhere.
    const float a = out[col[q]] + weight * values[q];
    const float b = out[col[q + 1]] + weight * values[q + 1];
    const float c = out[col[q + 2]] + weight * values[q + 2];
    const float d = out[col[q + 3]] + weight * values[q + 3];
    out[col[q]] = a;
    out[col[q + 1]] = b;
    out[col[q + 2]] = c;
    out[col[q + 3]] = d;
  }
  for (; q < n; ++q) out[col[q]] += weight * values[q];
}

// Sum of x[col[q]] * values[q] for q = 0 .. n - 1.
inline float gather_dot(const float* x, const int32_t* col, const float* values, int64_t n) {
  float a = 0, b = 0, c = 0, d = 0;
  int64_t q = 0;
  for (; q + 4 <= n; q += 4) {
    a += x[col[q]] * values[q];
    b += x[col[q + 1]] * values[q + 1];
    c += x[col[q + 2]] * values[q + 2];
    d += x[col[q + 3]] * values[q + 3];
  }
  for (; q < n; ++q) a += x[col[q]] * values[q];
  return (a + b) + (c + d);
}

// The values of Z by columns, so that the loops over a feature's rows read them in order.
inline const float* values_by_column(Scratch<float>& room, const ZSparse<float>& z, int threads) {
  const int64_t nnz = z.by_column.nnz();
  float* values = room.grow(nnz);
  for_row_ranges(nnz, nnz, threads, [&](int64_t begin, int64_t end) {
    for (int64_t q = begin; q < end; ++q) values[q] = z.values[z.source[q]];
  });
  return values;
}

}  // namespace glgnn::cpu
