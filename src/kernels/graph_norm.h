// From kept similarities to the normalised graph; all on the values of a pattern, cost O(nnz).
//
// row_scale   y_e = target a_e / size, size being the row's sum or its largest entry (the first of
//             equal ones); an all-zero row stays zero; saved: y, size
//   backward  d_a_e += (target d_y_e - d_size_e sum over the row of d_y y) / size, d_size_e being 1
//             for the sum, and 1 at the largest entry alone for the largest
// gcn_norm    y_ij = (a_ij + [i = j]) r_i r_j, r_i = 1 / sqrt(1 + sum of row i); saved: y, r
//   backward  d_a_ij += d_y_ij r_i r_j - (sum_j d_y_ij y_ij + sum_j d_y_ji y_ji) r_i^2 / 2
// symmetric_norm  the same of B, b_ij = (a_ij + a_ji) / 2 or the larger of the two; saved: y, r.
// With
//             g_ij = d_y_ij + d_y_ji and d_i = - r_i^2 / 2 sum_j g_ij y_ij:
//   backward  d_a_ij += w_ij (g_ij r_i r_j + d_i + d_j), w = 1/2 for the mean; for the larger 1
//   where
//             a_ij is it, 1/2 where both are equal, else 0
// An output pattern differs from the input's: `source` says which input entry each output entry
// has.
#pragma once

#include <glgnn/csr.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/edges.h"

namespace glgnn {

// A pattern with its diagonal filled; source is -1 for an entry the input did not have.
struct SelfLoops {
  Pattern pattern;
  std::vector<int64_t> source;
};
SelfLoops add_self_loops(PatternView pattern, int threads = 1);

// The union of a square pattern, its transpose and the diagonal. It is its own transpose: `source`
// of entry (i, j) is where (j, i) stands. Entry (i, j) is `here` in the input and (j, i) is
// `there`, -1 where absent; input entry e stands at `place[e]`.
struct SymmetricUnion {
  Transpose mirrored;
  std::vector<int64_t> here, there, place;
  const Pattern& pattern() const { return mirrored.pattern; }
};
SymmetricUnion symmetric_union(PatternView pattern, int threads = 1);

enum class SymmetricForm { kMean, kMax };

// What a row is divided by, and what that becomes.
struct RowScale {
  bool by_largest = false;  // else by the sum
  float target = 1;
};

namespace ref {

template <class T>
void row_scale_forward(T* y, T* size, const T* a, const int64_t* row_ptr, int64_t rows,
                       const RowScale& form);
template <class T>
void row_scale_backward(T* d_a, const T* d_y, const T* y, const T* size, const int64_t* row_ptr,
                        int64_t rows, const RowScale& form);
template <class T>
void gcn_norm_forward(T* y, T* r, PatternView out, const int64_t* source, const T* a);
template <class T>
void gcn_norm_backward(T* d_a, T* scratch, const T* d_y, const T* y, const T* r, PatternView out,
                       const int64_t* source);
template <class T>
void symmetric_norm_forward(T* y, T* r, const T* a, const SymmetricUnion& both, SymmetricForm form);
// scratch: N numbers. `pattern` is the input's.
template <class T>
void symmetric_norm_backward(T* d_a, T* scratch, const T* d_y, const T* y, const T* r, const T* a,
                             PatternView pattern, const SymmetricUnion& both, SymmetricForm form);

}  // namespace ref

// The same by rows, which needs the transposed output pattern instead of scratch.
namespace cpu {

// Puts in, of one number for each row, those of rows that other processes own; may be empty.
using FillOthers = std::function<void(float*)>;

void gcn_norm_forward(float* y, float* r, PatternView out, const int64_t* source, const float* a,
                      int threads);
void gcn_norm_backward(float* d_a, const float* d_y, const float* y, const float* r,
                       PatternView out, const TransposeView& transposed, const int64_t* source,
                       int threads);
void symmetric_norm_forward(float* y, float* r, const float* a, const SymmetricUnion& both,
                            SymmetricForm form, int threads, const FillOthers& fill_others = {});
void symmetric_norm_backward(float* d_a, const float* d_y, const float* y, const float* r,
                             const float* a, PatternView pattern, const SymmetricUnion& both,
                             SymmetricForm form, int threads, const FillOthers& fill_others = {});

}  // namespace cpu
}  // namespace glgnn
