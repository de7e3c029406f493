#include "report/report_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "report/base64.h"
#include "report/layout.h"

namespace glgnn {
namespace {

template <class T>
Json numbers(const std::vector<T>& list) {
  return base64_of(std::span<const T>(list));
}

// 0 .. 1 as 0 .. 65535.
uint16_t in_16_bits(double part) {
  return static_cast<uint16_t>(std::lround(65535 * std::clamp(part, 0.0, 1.0)));
}

enum Part : uint8_t { kNeither = 0, kTrain = 1, kVal = 2, kTest = 3 };

std::vector<uint8_t> parts_of(const Model& model) {
  std::vector<uint8_t> parts(static_cast<size_t>(model.probabilities.rows()), kNeither);
  for (const int32_t i : model.test) parts[static_cast<size_t>(i)] = kTest;
  for (const int32_t i : model.val) parts[static_cast<size_t>(i)] = kVal;
  for (const int32_t i : model.train) parts[static_cast<size_t>(i)] = kTrain;
  return parts;
}

// How much one value stands out of its column, in a unit that all columns share: standard
// deviations from the mean of dense ones, parts of the largest value of sparse ones.
class Standing {
 public:
  explicit Standing(const Features& features)
      : mean_(static_cast<size_t>(features.cols()), 0.0), unit_(mean_) {
    features.is_sparse ? look_at(features.sparse) : look_at(features.dense);
    for (double& unit : unit_) unit = unit > 0 ? unit : 1;
  }

  double of(size_t column, double value) const {
    return std::abs(value - mean_[column]) / unit_[column];
  }

 private:
  void look_at(const Csr& sparse) {
    for (size_t e = 0; e < sparse.values.size(); ++e) {
      double& largest = unit_[static_cast<size_t>(sparse.pattern->col[e])];
      largest = std::max(largest, std::abs(double{sparse.values[e]}));
    }
  }

  void look_at(const Matrix& dense) {
    const auto rows = static_cast<double>(std::max<int64_t>(1, dense.rows()));
    const auto sum = [&](std::vector<double>& into, auto&& term) {
      for (int64_t i = 0; i < dense.rows(); ++i) {
        for (size_t f = 0; f < into.size(); ++f) into[f] += term(f, double{dense[i][f]});
      }
      for (double& total : into) total /= rows;
    };
    sum(mean_, [](size_t, double value) { return value; });
    sum(unit_, [&](size_t f, double value) { return (value - mean_[f]) * (value - mean_[f]); });
    for (double& unit : unit_) unit = std::sqrt(unit);
  }

  std::vector<double> mean_, unit_;
};

struct Entry {
  uint32_t feature = 0;
  float value = 0;
  double score = 0;
};

std::vector<Entry> entries_of(const Features& features, int64_t row) {
  std::vector<Entry> entries;
  if (features.is_sparse) {
    const Pattern& pattern = *features.sparse.pattern;
    for (int64_t e = pattern.row_ptr[static_cast<size_t>(row)];
         e < pattern.row_ptr[static_cast<size_t>(row) + 1]; ++e) {
      entries.push_back({static_cast<uint32_t>(pattern.col[static_cast<size_t>(e)]),
                         features.sparse.values[static_cast<size_t>(e)]});
    }
  } else {
    for (int64_t f = 0; f < features.dense.cols(); ++f) {
      entries.push_back({static_cast<uint32_t>(f), features.dense[row][f]});
    }
  }
  return entries;
}

// Of each row the features with the largest weight times standing; a row with fewer is filled up
// with kNoFeature.
Json top_features(const Model& model, const std::vector<int32_t>& rows, int64_t limit) {
  constexpr uint32_t kNoFeature = std::numeric_limits<uint32_t>::max();
  const Standing standing(model.features);
  const std::vector<double> weights = feature_weights(model);
  const auto kept = static_cast<size_t>(std::min(limit, model.features.cols()));
  std::vector<uint32_t> features;
  std::vector<float> values;
  for (const int32_t row : rows) {
    std::vector<Entry> entries = entries_of(model.features, row);
    for (Entry& e : entries) e.score = weights[e.feature] * standing.of(e.feature, e.value);
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.score > b.score; });
    entries.resize(kept, {kNoFeature});
    for (const Entry& e : entries) {
      features.push_back(e.feature);
      values.push_back(e.value);
    }
  }
  return {{"per_row", kept}, {"feature", numbers(features)}, {"value", numbers(values)}};
}

Json places_json(const Csr& graph, const Matrix& probabilities) {
  std::vector<uint16_t> x, y;
  for (const MapPoint& place : layout_rows(graph, probabilities)) {
    x.push_back(in_16_bits(place.x));
    y.push_back(in_16_bits(place.y));
  }
  return {{"x", numbers(x)}, {"y", numbers(y)}};
}

// How many edges there are among `rows`, without loops.
int64_t edges_among(const Csr& graph, const std::vector<int32_t>& rows) {
  std::vector<bool> is_shown(static_cast<size_t>(graph.rows()), false);
  for (const int32_t row : rows) is_shown[static_cast<size_t>(row)] = true;
  const Pattern& pattern = *graph.pattern;
  int64_t edges = 0;
  for (const int32_t row : rows) {
    const auto i = static_cast<size_t>(row);
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const int32_t col = pattern.col[static_cast<size_t>(e)];
      edges += col != row && is_shown[static_cast<size_t>(col)];
    }
  }
  return edges;
}

// Square roots of the weights, so that small ones keep their digits in 16 bits.
Json graph_json(const Csr& graph, const std::vector<int32_t>& rows, const Csr& shown) {
  float largest = 0;
  for (const float value : shown.values) largest = std::max(largest, std::abs(value));
  std::vector<uint16_t> sizes, weights;
  std::vector<uint32_t> columns(shown.pattern->col.begin(), shown.pattern->col.end());
  for (int64_t i = 0; i < shown.rows(); ++i) {
    sizes.push_back(static_cast<uint16_t>(shown.pattern->view().row_size(i)));
  }
  for (const float value : shown.values) {
    weights.push_back(in_16_bits(largest > 0 ? std::sqrt(std::abs(value) / largest) : 0));
  }
  Json json = {{"edges", graph.nnz()},
               {"among_shown", edges_among(graph, rows)},
               {"largest", largest},
               {"row_sizes", numbers(sizes)}};
  const bool narrow = shown.rows() <= 65536;
  json["column_bits"] = narrow ? 16 : 32;
  json["columns"] =
      narrow ? numbers(std::vector<uint16_t>(columns.begin(), columns.end())) : numbers(columns);
  json["weights"] = numbers(weights);
  return json;
}

}  // namespace

std::vector<int32_t> shown_rows(int64_t rows, int64_t limit) {
  std::vector<int32_t> shown(static_cast<size_t>(std::min(rows, limit)));
  for (size_t i = 0; i < shown.size(); ++i) {
    shown[i] =
        static_cast<int32_t>(static_cast<int64_t>(i) * rows / static_cast<int64_t>(shown.size()));
  }
  return shown;
}

Csr shown_graph(const Csr& graph, const std::vector<int32_t>& rows, int64_t limit) {
  struct Edge {
    int32_t col;
    float weight;
  };
  std::vector<int32_t> number(static_cast<size_t>(graph.rows()), -1);
  for (size_t i = 0; i < rows.size(); ++i) {
    number[static_cast<size_t>(rows[i])] = static_cast<int32_t>(i);
  }
  std::vector<std::vector<Edge>> edges(rows.size());
  std::vector<int64_t> rows_of_size(rows.size() + 1, 0);
  const Pattern& all = *graph.pattern;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<size_t>(rows[i]);
    for (auto e = static_cast<size_t>(all.row_ptr[row]);
         e < static_cast<size_t>(all.row_ptr[row + 1]); ++e) {
      const int32_t col = number[static_cast<size_t>(all.col[e])];
      if (col >= 0 && col != static_cast<int32_t>(i)) edges[i].push_back({col, graph.values[e]});
    }
    ++rows_of_size[edges[i].size()];
  }
  // One edge more of every row that has it, as long as they fit.
  size_t kept = 0;
  auto larger = static_cast<int64_t>(rows.size()) - rows_of_size[0];
  for (int64_t left = limit; larger > 0 && left >= larger; ++kept) {
    left -= larger;
    larger -= rows_of_size[kept + 1];
  }
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = static_cast<int64_t>(rows.size());
  Csr shown;
  for (auto& list : edges) {
    std::stable_sort(list.begin(), list.end(), [](const Edge& a, const Edge& b) {
      return std::abs(a.weight) > std::abs(b.weight);
    });
    list.resize(std::min(list.size(), kept));
    std::sort(list.begin(), list.end(), [](const Edge& a, const Edge& b) { return a.col < b.col; });
    for (const Edge& edge : list) {
      pattern->col.push_back(edge.col);
      shown.values.push_back(edge.weight);
    }
    pattern->row_ptr.push_back(static_cast<int64_t>(pattern->col.size()));
  }
  shown.pattern = std::move(pattern);
  return shown;
}

Json rows_json(const Model& model, const ReportLimits& limits) {
  const int64_t n = model.probabilities.rows(), classes = model.probabilities.cols();
  const std::vector<int32_t> rows = shown_rows(n, limits.rows);
  const std::vector<int32_t> all_predicted = predicted_classes(model.probabilities);
  const std::vector<uint8_t> all_parts = parts_of(model);
  Matrix probabilities(static_cast<int64_t>(rows.size()), classes);
  std::vector<int32_t> labels, predicted;
  std::vector<uint8_t> parts;
  std::vector<uint16_t> shares;
  Json ids = Json::array();
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<size_t>(rows[i]);
    labels.push_back(model.labels[row]);
    predicted.push_back(all_predicted[row]);
    parts.push_back(all_parts[row]);
    if (!model.row_ids.empty()) ids.push_back(model.row_ids[row]);
    for (int64_t c = 0; c < classes; ++c) {
      const float p = model.probabilities[rows[i]][c];
      probabilities[static_cast<int64_t>(i)][c] = p;
      shares.push_back(in_16_bits(p));
    }
  }
  const Csr fused = shown_graph(model.fused_graph, rows, limits.fused_edges);
  Json graphs = Json::array({graph_json(model.fused_graph, rows, fused)});
  const auto modules = static_cast<int64_t>(model.modules.size());
  for (const FittedModule& module : model.modules) {
    graphs.push_back(graph_json(module.graph, rows,
                                shown_graph(module.graph, rows, limits.module_edges / modules)));
  }
  return {{"shown", rows.size()},
          {"numbers", numbers(rows)},
          {"ids", model.row_ids.empty() ? Json(nullptr) : std::move(ids)},
          {"labels", numbers(labels)},
          {"predicted", numbers(predicted)},
          {"parts", numbers(parts)},
          {"probabilities", numbers(shares)},
          {"places", places_json(fused, probabilities)},
          {"features", top_features(model, rows, limits.features_of_row)},
          {"graphs", std::move(graphs)}};
}

}  // namespace glgnn
