#include "kernels/transpose.h"

namespace glgnn {

Transpose transpose(PatternView pattern) {
  Transpose out;
  out.pattern.rows = pattern.cols;
  out.pattern.cols = pattern.rows;
  out.pattern.row_ptr.assign(pattern.cols + 1, 0);
  out.pattern.col.resize(pattern.nnz());
  out.source.resize(pattern.nnz());
  for (int64_t e = 0; e < pattern.nnz(); ++e) ++out.pattern.row_ptr[pattern.col[e] + 1];
  for (int64_t j = 0; j < pattern.cols; ++j) out.pattern.row_ptr[j + 1] += out.pattern.row_ptr[j];
  std::vector<int64_t> next(out.pattern.row_ptr.begin(), out.pattern.row_ptr.end() - 1);
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const int64_t slot = next[pattern.col[e]]++;
      out.pattern.col[slot] = static_cast<int32_t>(i);
      out.source[slot] = e;
    }
  }
  return out;
}

}  // namespace glgnn
