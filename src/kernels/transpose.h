// The transposed pattern, and where each of its entries comes from.
#pragma once

#include <glgnn/csr.h>

#include <cstdint>
#include <vector>

namespace glgnn {

struct TransposeView {
  PatternView pattern;    // cols x rows of the original
  const int64_t* source;  // entry of the original for each entry of `pattern`
};

struct Transpose {
  Pattern pattern;
  std::vector<int64_t> source;
  TransposeView view() const { return {pattern.view(), source.data()}; }
};

// By counting; columns ascend in each row. Cost O(nnz + rows + cols).
Transpose transpose(PatternView pattern);

}  // namespace glgnn
