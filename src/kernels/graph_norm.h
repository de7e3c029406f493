// From kept similarities to the normalised graph; all on the values of a pattern, cost O(nnz).
//
// row_scale   y_e = a_e / sum of its row (an all-zero row stays zero); saved: y, sum
//   backward  d_a_e += (d_y_e - sum over the row of d_y y) / sum
// gcn_norm    y_ij = (a_ij + [i = j]) r_i r_j, r_i = 1 / sqrt(1 + sum of row i); saved: y, r
//   backward  d_a_ij += d_y_ij r_i r_j - (sum_j d_y_ij y_ij + sum_j d_y_ji y_ji) r_i^2 / 2
// symmetrise  y_ij = (a_ij + a_ji) / 2, or the larger of the two
//   backward  half to each, or all to the larger (to a_ij when equal)
// An output pattern differs from the input's: `source` says which input entry each output entry
// has.
#pragma once

#include <glgnn/csr.h>

#include <cstdint>
#include <vector>

#include "kernels/transpose.h"

namespace glgnn {

// A pattern with its diagonal filled; source is -1 for an entry the input did not have.
struct SelfLoops {
  Pattern pattern;
  std::vector<int64_t> source;
};
SelfLoops add_self_loops(PatternView pattern, int threads = 1);

// The union of a square pattern and its transpose; entry (i, j) of it is `here` in the input and
// its mirror image (j, i) is `there`; -1 where absent.
struct SymmetricUnion {
  Pattern pattern;
  std::vector<int64_t> here, there;
};
SymmetricUnion symmetric_union(PatternView pattern);

enum class SymmetricForm { kMean, kMax };

namespace ref {

template <class T>
void row_scale_forward(T* y, T* sum, const T* a, const int64_t* row_ptr, int64_t rows);
template <class T>
void row_scale_backward(T* d_a, const T* d_y, const T* y, const T* sum, const int64_t* row_ptr,
                        int64_t rows);
template <class T>
void gcn_norm_forward(T* y, T* r, PatternView out, const int64_t* source, const T* a);
template <class T>
void gcn_norm_backward(T* d_a, T* scratch, const T* d_y, const T* y, const T* r, PatternView out,
                       const int64_t* source);
template <class T>
void symmetrise_forward(T* y, const T* a, const SymmetricUnion& both, SymmetricForm form);
template <class T>
void symmetrise_backward(T* d_a, const T* d_y, const T* a, const SymmetricUnion& both,
                         SymmetricForm form);

}  // namespace ref

// The same by rows, which needs the transposed output pattern instead of scratch.
namespace cpu {

void gcn_norm_forward(float* y, float* r, PatternView out, const int64_t* source, const float* a,
                      int threads);
void gcn_norm_backward(float* d_a, const float* d_y, const float* y, const float* r,
                       PatternView out, const TransposeView& transposed, const int64_t* source,
                       int threads);

}  // namespace cpu
}  // namespace glgnn
