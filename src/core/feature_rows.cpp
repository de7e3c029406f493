#include "core/feature_rows.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace glgnn {

Features rows_of(const Features& features, int64_t begin, int64_t end) {
  Features out;
  out.is_sparse = features.is_sparse;
  if (!features.is_sparse) {
    out.dense = Matrix(end - begin, features.dense.cols());
    std::copy(features.dense[begin], features.dense[end], out.dense.data());
    return out;
  }
  const Pattern& from = *features.sparse.pattern;
  const int64_t first = from.row_ptr[begin], last = from.row_ptr[end];
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = end - begin;
  pattern->cols = from.cols;
  for (int64_t i = begin; i < end; ++i) pattern->row_ptr.push_back(from.row_ptr[i + 1] - first);
  pattern->col.assign(from.col.begin() + first, from.col.begin() + last);
  out.sparse.values.assign(features.sparse.values.begin() + first,
                           features.sparse.values.begin() + last);
  out.sparse.pattern = std::move(pattern);
  return out;
}

}  // namespace glgnn
