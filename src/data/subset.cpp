// A dataset without some of its rows.
#include <algorithm>
#include <utility>

#include "core/rng.h"
#include "data/data.h"

namespace glgnn {
namespace {

// The entries of `from` in the given rows; columns become new_column[col], or are left out if
// that is -1.
Csr take(const Csr& from, std::span<const int32_t> rows, std::span<const int32_t> new_column,
         int64_t columns) {
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = static_cast<int64_t>(rows.size());
  pattern->cols = columns;
  Csr out;
  for (const int32_t i : rows) {
    for (int64_t e = from.pattern->row_ptr[i]; e < from.pattern->row_ptr[i + 1]; ++e) {
      const int32_t old = from.pattern->col[e];
      const int32_t column = new_column.empty() ? old : new_column[old];
      if (column < 0) continue;
      pattern->col.push_back(column);
      out.values.push_back(from.values[e]);
    }
    pattern->row_ptr.push_back(static_cast<int64_t>(pattern->col.size()));
  }
  out.pattern = std::move(pattern);
  return out;
}

}  // namespace

Features take_rows(const Features& features, std::span<const int32_t> rows) {
  Features out;
  out.is_sparse = features.is_sparse;
  out.indicators = features.indicators;
  if (features.is_sparse) {
    out.sparse = take(features.sparse, rows, {}, features.cols());
    return out;
  }
  out.dense = Matrix(static_cast<int64_t>(rows.size()), features.cols());
  for (size_t r = 0; r < rows.size(); ++r) {
    const float* row = features.dense[rows[r]];
    std::copy(row, row + features.cols(), out.dense[static_cast<int64_t>(r)]);
  }
  return out;
}

Dataset take_rows(const Dataset& dataset, std::span<const int32_t> rows) {
  Dataset out;
  out.name = dataset.name;
  out.features = take_rows(dataset.features, rows);
  out.class_names = dataset.class_names;
  out.feature_names = dataset.feature_names;
  out.scaling = dataset.scaling;
  out.paper_k = dataset.paper_k;
  out.paper_epochs = dataset.paper_epochs;
  out.plan = dataset.plan;
  std::vector<int32_t> place(static_cast<size_t>(dataset.rows()), -1);
  for (size_t r = 0; r < rows.size(); ++r) {
    place[rows[r]] = static_cast<int32_t>(r);
    out.labels.push_back(dataset.labels[rows[r]]);
    if (!dataset.row_ids.empty()) out.row_ids.push_back(dataset.row_ids[rows[r]]);
  }
  out.has_graph = dataset.has_graph;
  if (dataset.has_graph) {
    out.graph = take(dataset.graph, rows, place, static_cast<int64_t>(rows.size()));
  }
  return out;
}

HiddenRows hide_rows(const Split& split, int64_t rows, double part, uint64_t seed) {
  const auto count = static_cast<size_t>(part * static_cast<double>(rows));
  // In the random order of this seed.
  const Rng rng{seed, Stream::kSplit, 1};
  std::vector<std::pair<uint32_t, int32_t>> keyed;
  for (const int32_t row : split.test) keyed.emplace_back(rng.block(row)[0], row);
  std::sort(keyed.begin(), keyed.end());
  HiddenRows out;
  for (size_t r = 0; r < std::min(count, keyed.size()); ++r) out.hidden.push_back(keyed[r].second);
  std::sort(out.hidden.begin(), out.hidden.end());
  std::vector<int32_t> place(static_cast<size_t>(rows), 0);
  for (const int32_t row : out.hidden) place[row] = -1;
  for (int32_t row = 0; row < rows; ++row) {
    if (place[row] < 0) continue;
    place[row] = static_cast<int32_t>(out.kept.size());
    out.kept.push_back(row);
  }
  const auto moved = [&](const std::vector<int32_t>& list) {
    std::vector<int32_t> there;
    for (const int32_t row : list) {
      if (place[row] >= 0) there.push_back(place[row]);
    }
    return there;
  };
  out.split = {moved(split.train), moved(split.val), moved(split.test), split.val_is_drawn};
  return out;
}

}  // namespace glgnn
