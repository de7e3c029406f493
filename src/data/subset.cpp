// Other datasets made of one: without some of its rows, or with noise.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "core/rng.h"
#include "core/rows.h"
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

// Noise on purpose: graphs with wrong edges and tables with columns that say nothing, for
// experiments.
namespace {

// The ordered pairs (i, j), i != j, each taken with the same probability, by rows. Leaps from one
// taken pair to the next, so that the cost is that of the pairs taken.
Pattern random_pairs(int64_t rows, double probability, uint64_t seed) {
  Pattern pairs;
  pairs.rows = pairs.cols = rows;
  pairs.row_ptr.assign(rows + 1, 0);
  const Rng rng{seed, Stream::kNoiseEdges, 0, 0};
  const double scale = 1 / std::log1p(-probability);
  double at = -1;
  for (uint64_t drawn = 0;; ++drawn) {
    at += 1 + std::floor(std::log(rng.uniform(drawn)) * scale);
    if (at >= static_cast<double>(rows) * static_cast<double>(rows)) break;
    const int64_t row = static_cast<int64_t>(at) / rows, col = static_cast<int64_t>(at) % rows;
    if (row == col) continue;
    pairs.col.push_back(static_cast<int32_t>(col));
    ++pairs.row_ptr[row + 1];
  }
  for (int64_t i = 0; i < rows; ++i) pairs.row_ptr[i + 1] += pairs.row_ptr[i];
  return pairs;
}

// A column by its number, and its rows in another order.
struct Drawn {
  int64_t column = 0;
  std::vector<int32_t> order;
};

std::vector<Drawn> drawn_columns(int64_t count, int64_t rows, int64_t cols, uint64_t seed) {
  std::vector<int32_t> all(static_cast<size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  std::vector<Drawn> drawn;
  for (int64_t d = 0; d < count; ++d) {
    const Rng column{seed, Stream::kNoiseWeights, 1, 0};
    const Rng order{seed, Stream::kNoiseWeights, 2, static_cast<uint32_t>(d)};
    const auto at =
        static_cast<int64_t>(column.uniform(static_cast<uint64_t>(d)) * static_cast<float>(cols));
    drawn.push_back({std::min(at, cols - 1), shuffled_rows(all, order)});
  }
  return drawn;
}

Matrix with_columns(const Matrix& x, const std::vector<Drawn>& drawn) {
  Matrix out(x.rows(), x.cols() + std::ssize(drawn));
  for (int64_t i = 0; i < x.rows(); ++i) {
    std::copy(x[i], x[i] + x.cols(), out[i]);
    for (size_t d = 0; d < drawn.size(); ++d) {
      out[i][x.cols() + static_cast<int64_t>(d)] = x[drawn[d].order[i]][drawn[d].column];
    }
  }
  return out;
}

Csr with_columns(const Csr& x, const std::vector<Drawn>& drawn) {
  using Entries = std::vector<std::pair<int32_t, float>>;
  std::vector<Entries> columns(static_cast<size_t>(x.cols())), added(static_cast<size_t>(x.rows()));
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t e = x.pattern->row_ptr[i]; e < x.pattern->row_ptr[i + 1]; ++e) {
      columns[x.pattern->col[e]].emplace_back(static_cast<int32_t>(i), x.values[e]);
    }
  }
  for (size_t d = 0; d < drawn.size(); ++d) {
    const auto column = static_cast<int32_t>(x.cols() + static_cast<int64_t>(d));
    for (const auto& [row, value] : columns[drawn[d].column]) {
      added[drawn[d].order[row]].emplace_back(column, value);
    }
  }
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = x.rows();
  pattern->cols = x.cols() + std::ssize(drawn);
  Csr out;
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t e = x.pattern->row_ptr[i]; e < x.pattern->row_ptr[i + 1]; ++e) {
      pattern->col.push_back(x.pattern->col[e]);
      out.values.push_back(x.values[e]);
    }
    for (const auto& [column, value] : added[i]) {
      pattern->col.push_back(column);
      out.values.push_back(value);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  out.pattern = std::move(pattern);
  return out;
}

}  // namespace

NoisyGraph add_noise_edges(const Csr* graph, int64_t rows, double probability, uint64_t seed) {
  const Pattern pairs = random_pairs(rows, probability, seed);
  const Rng weights{seed, Stream::kNoiseWeights, 0, 0};
  NoisyGraph out;
  out.added.rows = out.added.cols = rows;
  auto joined = std::make_shared<Pattern>();
  joined->rows = joined->cols = rows;
  for (int64_t i = 0; i < rows; ++i) {
    int64_t g = graph ? graph->pattern->row_ptr[i] : 0;
    const int64_t g_end = graph ? graph->pattern->row_ptr[i + 1] : 0;
    const auto keep_given = [&] {
      joined->col.push_back(graph->pattern->col[g]);
      out.graph.values.push_back(graph->values[g++]);
    };
    for (int64_t e = pairs.row_ptr[i]; e < pairs.row_ptr[i + 1]; ++e) {
      while (g < g_end && graph->pattern->col[g] < pairs.col[e]) keep_given();
      if (g < g_end && graph->pattern->col[g] == pairs.col[e]) continue;  // a true edge is no noise
      joined->col.push_back(pairs.col[e]);
      out.graph.values.push_back(weights.uniform(static_cast<uint64_t>(out.added.nnz())));
      out.added.col.push_back(pairs.col[e]);
    }
    while (g < g_end) keep_given();
    joined->row_ptr.push_back(joined->nnz());
    out.added.row_ptr.push_back(out.added.nnz());
  }
  out.graph.pattern = std::move(joined);
  return out;
}

int64_t add_noise_columns(Dataset& dataset, double part, uint64_t seed) {
  Features& x = dataset.features;
  const auto count = static_cast<int64_t>(std::lround(part * static_cast<double>(x.cols())));
  const std::vector<Drawn> drawn = drawn_columns(count, x.rows(), x.cols(), seed);
  if (x.is_sparse)
    x.sparse = with_columns(x.sparse, drawn);
  else
    x.dense = with_columns(x.dense, drawn);
  for (int64_t d = 0; d < count; ++d) {
    const std::string name = "noise " + std::to_string(d + 1);
    dataset.feature_names.push_back(name);
    if (dataset.plan.columns.empty()) continue;
    TableColumn& column = dataset.plan.columns.emplace_back();
    column.name = name;
    dataset.plan.feature_names.push_back(name);
  }
  return count;
}

Csr undirected(const Csr& graph) {
  const int64_t n = graph.rows();
  std::vector<std::vector<std::pair<int32_t, float>>> rows(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
      const int32_t j = graph.pattern->col[e];
      rows[i].emplace_back(j, graph.values[e]);
      rows[j].emplace_back(static_cast<int32_t>(i), graph.values[e]);
    }
  }
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = n;
  Csr out;
  for (auto& row : rows) {
    // Of a pair that is given both ways the larger weight comes first and is kept.
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    });
    for (size_t p = 0; p < row.size(); ++p) {
      if (p > 0 && row[p].first == row[p - 1].first) continue;
      pattern->col.push_back(row[p].first);
      out.values.push_back(row[p].second);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  out.pattern = std::move(pattern);
  return out;
}

}  // namespace glgnn
