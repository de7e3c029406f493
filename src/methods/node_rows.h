// Rows as liblinear and libsvm read them: a number for each column that has one, columns from 1.
#pragma once

#include <glgnn/dataset.h>

#include <vector>

namespace glgnn {

template <class Node>
void append_numbers(std::vector<Node>& nodes, const Features& x, int64_t row) {
  const auto add = [&](int64_t column, float value) {
    if (value != 0) nodes.push_back({static_cast<int>(column + 1), value});
  };
  if (x.is_sparse) {
    const Pattern& pattern = *x.sparse.pattern;
    for (int64_t e = pattern.row_ptr[row]; e < pattern.row_ptr[row + 1]; ++e) {
      add(pattern.col[e], x.sparse.values[e]);
    }
  } else {
    for (int64_t f = 0; f < x.cols(); ++f) add(f, x.dense[row][f]);
  }
}

}  // namespace glgnn
