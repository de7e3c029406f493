#include <glgnn/explain.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/parallel.h"
#include "report/explanations.h"
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
// module about all of them. Measured on wine, digits, Cora and tables: about 20 million a second.
int64_t work_of(const Model& model, int32_t row) {
  constexpr int64_t kAnyRow = 4000, kSparse = 5;
  const bool sparse = model.features.is_sparse;
  const int64_t features =
      sparse ? model.features.sparse.pattern->view().row_size(row) : model.features.cols();
  const int64_t items = model.fused_graph.pattern->view().row_size(row) + features;
  const auto modules = static_cast<int64_t>(model.modules.size());
  return kAnyRow + items * items * modules * (sparse ? kSparse : 1);
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
  const std::vector<int32_t> shown = shown_rows(model.probabilities.rows(), limits.rows);
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

}  // namespace glgnn
