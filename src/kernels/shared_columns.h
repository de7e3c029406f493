// edge_dot on sparse rows for a pattern that stays while the values of Z change: where the two rows
// of each pair have a column in common is found once.
//
// The same numbers as edge_dot (kernels/edge_dot.h), to the bit. Saved: 8 bytes for each common
// column of each pair. Cost O(common columns), against O(nnz times the entries of a row of Z).
#pragma once

#include <glgnn/csr.h>

#include <cstdint>
#include <vector>

#include "kernels/transpose.h"

namespace glgnn {

// Pair e has the common columns ptr[e] .. ptr[e + 1] - 1: entry `left` of its row i, counted from
// the row's first, and entry `right` of its row j.
struct SharedColumns {
  std::vector<int64_t> ptr;
  std::vector<int32_t> left, right;
};
SharedColumns find_shared_columns(PatternView pairs, PatternView rows, int threads);

namespace cpu {

void edge_dot_forward(float* s, PatternView pairs, const SharedColumns& shared, PatternView rows,
                      const float* values, int threads);
void edge_dot_backward(float* d_values, const float* d_s, PatternView pairs,
                       const TransposeView& transposed, const SharedColumns& shared,
                       PatternView rows, const float* values, int threads);

}  // namespace cpu
}  // namespace glgnn
