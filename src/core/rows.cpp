#include "core/rows.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace glgnn {

Features rows_of(const Features& features, int64_t begin, int64_t end) {
  Features out;
  out.is_sparse = features.is_sparse;
  out.indicators = features.indicators;
  if (!features.row_size.empty()) {
    out.row_size.assign(features.row_size.begin() + begin, features.row_size.begin() + end);
  }
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

std::vector<int32_t> spaced_rows(int64_t rows, int64_t most) {
  std::vector<int32_t> some(static_cast<size_t>(std::min(rows, most)));
  for (size_t i = 0; i < some.size(); ++i) {
    some[i] =
        static_cast<int32_t>(static_cast<int64_t>(i) * rows / static_cast<int64_t>(some.size()));
  }
  return some;
}

float number_at(const Features& features, int64_t row, int64_t column) {
  if (!features.is_sparse) return features.dense[row][column];
  const Pattern& pattern = *features.sparse.pattern;
  const auto begin = pattern.col.begin() + pattern.row_ptr[row];
  const auto end = pattern.col.begin() + pattern.row_ptr[row + 1];
  const auto found = std::lower_bound(begin, end, static_cast<int32_t>(column));
  if (found == end || *found != column) return 0.0f;
  return features.sparse.values[found - pattern.col.begin()];
}

std::vector<int32_t> number_columns(const Features& features) {
  std::vector<int32_t> numbers;
  int64_t next = 0;
  const auto add_until = [&](int64_t end) {
    for (; next < end; ++next) numbers.push_back(static_cast<int32_t>(next));
  };
  for (const IndicatorBlock& block : features.indicators) {
    add_until(block.first);
    next = block.first + block.count;
  }
  add_until(features.cols());
  return numbers;
}

std::vector<int32_t> origin_of_columns(const Features& features) {
  std::vector<int32_t> origin(static_cast<size_t>(features.cols()));
  std::vector<bool> joins(origin.size(), false);  // the column before it
  for (const IndicatorBlock& block : features.indicators) {
    for (int64_t f = 1; f < block.count; ++f) joins[block.first + f] = true;
  }
  int32_t count = -1;
  for (size_t f = 0; f < origin.size(); ++f) origin[f] = joins[f] ? count : ++count;
  return origin;
}

std::vector<IndicatorScale> indicator_scales(const std::vector<IndicatorBlock>& blocks,
                                             const Matrix& x, double variance, OneWeight one) {
  constexpr double kLeastShare = 0.1;
  const double n = static_cast<double>(x.rows());
  std::vector<IndicatorScale> scales;
  for (const IndicatorBlock& block : blocks) {
    const double contrasts =
        one == OneWeight::kColumn ? static_cast<double>(std::max<int64_t>(1, block.count - 1)) : 1;
    for (int64_t f = block.first; f < block.first + block.count; ++f) {
      double sum = 0;
      for (int64_t i = 0; i < x.rows(); ++i) sum += x[i][f];
      const double share = sum / n;
      scales.push_back({f, share, std::sqrt(std::max(share * contrasts, kLeastShare) / variance)});
    }
  }
  return scales;
}

std::vector<double> balanced_class_weights(std::span<const int32_t> labels,
                                           std::span<const int32_t> rows, int64_t classes) {
  std::vector<int64_t> count(classes, 0);
  for (const int32_t row : rows) ++count[labels[row]];
  int64_t present = 0;
  for (const int64_t rows_of_class : count) present += rows_of_class > 0;
  std::vector<double> weights(classes, 0.0);
  for (int64_t c = 0; c < classes; ++c) {
    if (count[c] == 0) continue;
    weights[c] = static_cast<double>(rows.size()) / static_cast<double>(present * count[c]);
  }
  return weights;
}

}  // namespace glgnn
