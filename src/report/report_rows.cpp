#include <glgnn/explain.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/parallel.h"
#include "core/rows.h"
#include "model/frozen_model.h"
#include "report/explanations.h"
#include "report/layout.h"
#include "report/model_columns.h"
#include "report/page.h"
#include "report/report_data.h"

namespace glgnn {
namespace {

constexpr size_t kShown = 8;  // features and neighbours each; `glgnn explain --json` has all

double three_digits(double value) { return std::round(value * 1000) / 1000; }

Json reason_json(const Model& model, const Explanation& why, const std::vector<int32_t>& places) {
  const Json said = explanation_json(model, why);  // with names and values as people know them
  Json features = Json::array(), neighbours = Json::array();
  for (const Json& feature : said["features"]) {
    if (features.size() == kShown) break;
    features.push_back(
        {feature["name"], feature["value"], three_digits(feature["weight"].get<double>())});
  }
  for (size_t e = 0; e < std::min(kShown, why.edges.size()); ++e) {
    const ExplainedEdge& edge = why.edges[e];
    neighbours.push_back(
        {said["edges"][e]["id"], places[edge.row], edge.module + 1, three_digits(edge.weight)});
  }
  const size_t more =
      said["features"].size() - features.size() + why.edges.size() - neighbours.size();
  return {{"row", places[why.row]},
          {"features", std::move(features)},
          {"neighbours", std::move(neighbours)},
          {"more", more},
          {"without", three_digits(why.fidelity_plus)}};
}

// What explaining a row costs: each of its edges and features is left out in turn, which asks every
// module about all of them. Measured on wine, digits, Cora and tables: about 20 million a second;
// where modules read cells by the prior network, 10 million, or hardly a row would have reasons.
int64_t work_of(const Model& model, int32_t row) {
  constexpr int64_t kAnyRow = 4000, kSparse = 5, kPriorCell = 150;
  constexpr int64_t kFewClasses = 25;  // as many as take no longer
  const bool sparse = model.features.is_sparse;
  const int64_t features =
      sparse ? model.features.sparse.pattern->view().row_size(row) : model.features.cols();
  const int64_t items = model.fused_graph.pattern->view().row_size(row) + features;
  const auto modules = static_cast<int64_t>(model.modules.size());
  const int64_t classes = std::max(model.probabilities.cols() / kFewClasses, int64_t{1});
  return (kAnyRow + items * items * modules * (sparse ? kSparse : 1)) * classes +
         items * prior_cells(model) * kPriorCell;
}

}  // namespace

std::vector<int32_t> explained_places(const Model& model, const std::vector<int32_t>& shown,
                                      int64_t work) {
  const std::vector<int32_t> predicted = predicted_classes(model.probabilities);
  // Wrong rows before all others, then by certainty.
  const auto rank = [&](int32_t place) {
    const int32_t row = shown[place];
    const int32_t label = model.labels[row];
    const bool held = !model.held_back.empty() && model.held_back[row] >= 0;
    const int32_t said = held ? model.held_back[row] : predicted[row];
    return model.probabilities[row][predicted[row]] + (label >= 0 && label != said ? 0 : 1);
  };
  std::vector<int32_t> places(shown.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(),
                   [&](int32_t a, int32_t b) { return rank(a) < rank(b); });
  size_t kept = 0;
  while (kept < places.size() && (work -= work_of(model, shown[places[kept]])) >= 0) ++kept;
  places.resize(kept);
  std::sort(places.begin(), places.end());
  return places;
}

Json reasons_json(const Model& model, const ReportLimits& limits, const Context& context) {
  const std::vector<int32_t> shown = spaced_rows(model.probabilities.rows(), limits.rows);
  std::vector<int32_t> places(static_cast<size_t>(model.probabilities.rows()), -1);
  for (size_t i = 0; i < shown.size(); ++i) places[shown[i]] = static_cast<int32_t>(i);
  const std::vector<int32_t> explained = explained_places(model, shown, limits.reasons);
  const Explainer explainer(model, {.threads = 1});
  std::vector<Json> reasons(explained.size());
  constexpr int64_t kAtOnce = 8;
  for_fixed_pieces(static_cast<int64_t>(explained.size()), kAtOnce, context.threads,
                   [&](int64_t, int64_t begin, int64_t end) {
                     for (int64_t i = begin; i < end; ++i) {
                       reasons[i] =
                           reason_json(model, explainer.explain(shown[explained[i]]), places);
                     }
                   });
  return reasons;
}

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

// The columns with the largest weights, one after the other: as many as keep rows x columns within
// `limit`, and one at least.
Json values_json(const Model& model, const std::vector<int32_t>& rows, int64_t limit) {
  const ModelColumns columns(model);
  const std::vector<double> weights = columns.merged(feature_weights(model));
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return weights[a] > weights[b]; });
  const size_t shown = std::max<size_t>(1, rows.size());
  order.resize(std::min(order.size(), std::max<size_t>(1, static_cast<size_t>(limit) / shown)));
  Json list = Json::array();
  for (const size_t column : order) {
    const ColumnCells cells = column_cells(model, columns, column, rows);
    list.push_back({{"column", column},
                    {"texts", cells.texts.empty() ? Json(nullptr) : Json(cells.texts)},
                    {"dates", cells.are_dates},
                    {"values", cells.are_close ? Json(cells.values)
                                               : numbers(std::vector<float>(cells.values.begin(),
                                                                            cells.values.end()))}});
  }
  return list;
}

Json places_json(const Csr& graph, const Matrix& probabilities) {
  std::vector<uint16_t> x, y;
  for (const MapPoint& place : layout_rows(graph, probabilities)) {
    x.push_back(in_16_bits(place.x));
    y.push_back(in_16_bits(place.y));
  }
  return {{"x", numbers(x)}, {"y", numbers(y)}};
}

bool points_to(const Pattern& pattern, int32_t from, int32_t to) {
  const auto begin = pattern.col.begin();
  return std::binary_search(begin + pattern.row_ptr[from], begin + pattern.row_ptr[from + 1], to);
}

// Pairs of two of these rows that are joined, in one direction or in both.
int64_t links_among(const Pattern& pattern, const std::vector<int32_t>& rows) {
  std::vector<bool> is_meant(static_cast<size_t>(pattern.rows), false);
  for (const int32_t row : rows) is_meant[row] = true;
  int64_t links = 0;
  for (const int32_t row : rows) {
    for (int64_t e = pattern.row_ptr[row]; e < pattern.row_ptr[row + 1]; ++e) {
      const int32_t other = pattern.col[e];
      if (other == row || !is_meant[other]) continue;
      links += row < other || !points_to(pattern, other, row);  // else it is counted there
    }
  }
  return links;
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
  Json json = {{"links", links_of(graph)},
               {"links_among_shown", links_among(*graph.pattern, rows)},
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

int64_t links_of(const Csr& graph) {
  return links_among(*graph.pattern, spaced_rows(graph.rows(), graph.rows()));
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
  const std::vector<int32_t> rows = spaced_rows(n, limits.rows);
  const std::vector<int32_t> all_predicted = predicted_classes(model.probabilities);
  const std::vector<uint8_t> all_parts = parts_of(model);
  Matrix probabilities(static_cast<int64_t>(rows.size()), classes);
  std::vector<int32_t> labels, predicted, held_back;
  std::vector<uint8_t> parts;
  std::vector<uint16_t> shares;
  Json ids = Json::array();
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<size_t>(rows[i]);
    labels.push_back(model.labels[row]);
    predicted.push_back(all_predicted[row]);
    parts.push_back(all_parts[row]);
    if (!model.held_back.empty()) held_back.push_back(model.held_back[row]);
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
          {"held_back", model.held_back.empty() ? Json(nullptr) : numbers(held_back)},
          {"parts", numbers(parts)},
          {"probabilities", numbers(shares)},
          {"places", places_json(fused, probabilities)},
          {"values", values_json(model, rows, limits.values)},
          {"graphs", std::move(graphs)}};
}

}  // namespace glgnn
