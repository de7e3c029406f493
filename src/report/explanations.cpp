#include "report/explanations.h"

#include <fmt/format.h>
#include <glgnn/error.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "data/message.h"
#include "report/model_columns.h"
#include "report/predictions.h"

namespace glgnn {
namespace {

constexpr size_t kShown = 10;  // edges and features in the text; the JSON has all

std::string class_or_unknown(const Model& model, int32_t c) {
  return c < 0 ? "unknown" : model.class_names[static_cast<size_t>(c)];
}

bool taught(const Model& model, int32_t row) {
  return std::find(model.train.begin(), model.train.end(), row) != model.train.end();
}

// A label that taught the prediction is no evidence for it.
std::string label_words(const Model& model, int32_t row) {
  const auto at = static_cast<size_t>(row);
  if (model.labels[at] < 0) return "";
  const std::string label = class_or_unknown(model, model.labels[at]);
  if (!model.held_back.empty() && model.held_back[at] >= 0) {
    return "; its label is " + label + ", and the modules that did not see it say " +
           class_or_unknown(model, model.held_back[at]);
  }
  return taught(model, row) ? "; its label, " + label + ", taught the model"
                            : "; its label is " + label;
}

std::string bar(double weight) {
  return std::string(static_cast<size_t>(std::clamp(weight, 0.0, 1.0) * 10 + 0.5), '#');
}

RowName fitted_row(const Model& model, int32_t row) {
  return {row_id(model, row), model.labels[static_cast<size_t>(row)]};
}

}  // namespace

Json explanation_json(const Model& model, const Explanation& explanation) {
  return explanation_json(model, explanation, fitted_row(model, explanation.row));
}

std::string explanation_text(const Model& model, const Explanation& explanation) {
  return explanation_text(model, explanation, fitted_row(model, explanation.row));
}

Json explanation_json(const Model& model, const Explanation& explanation, const RowName& row) {
  const auto predicted = predicted_classes(model.probabilities);
  Json out = {{"id", row.id},
              {"predicted", class_or_unknown(model, explanation.predicted)},
              {"probability", explanation.probability}};
  out["label"] = row.label < 0 ? Json(nullptr) : Json(class_or_unknown(model, row.label));
  Json edges = Json::array(), features = Json::array();
  for (const ExplainedEdge& edge : explanation.edges) {
    edges.push_back({{"id", row_id(model, edge.row)},
                     {"predicted", class_or_unknown(model, predicted[edge.row])},
                     {"module", edge.module + 1},
                     {"weight", edge.weight}});
  }
  for (const ExplainedFeature& feature : explanation.features) {
    const ColumnValue value = column_value(model, feature.feature, feature.value);
    features.push_back({{"name", value.name},
                        {"value", value.number ? Json(*value.number) : Json(value.text)},
                        {"weight", feature.weight}});
  }
  out["edges"] = std::move(edges);
  out["features"] = std::move(features);
  out["modules"] = explanation.modules;
  out["fidelity_plus"] = explanation.fidelity_plus;
  out["fidelity_minus"] = explanation.fidelity_minus;
  out["sparsity"] = explanation.sparsity;
  return out;
}

std::string explanation_text(const Model& model, const Explanation& explanation,
                             const RowName& row) {
  const auto predicted = predicted_classes(model.probabilities);
  std::string text =
      fmt::format("row {}: predicted {} with probability {:.3f}{}\n", row.id,
                  class_or_unknown(model, explanation.predicted), explanation.probability,
                  explanation.row >= 0 ? label_words(model, explanation.row)
                  : row.label >= 0     ? "; its label is " + class_or_unknown(model, row.label)
                                       : "");
  const auto to = std::back_inserter(text);
  text += "because of these features\n";
  for (size_t f = 0; f < std::min(kShown, explanation.features.size()); ++f) {
    const ExplainedFeature& feature = explanation.features[f];
    fmt::format_to(to, "  {:<10} {:6.3f}  {}\n", bar(feature.weight), feature.weight,
                   column_value(model, feature.feature, feature.value).sentence());
  }
  text += explanation.edges.empty() ? "and no neighbour: its own features decide alone\n"
                                    : "and these neighbours in the learned graphs\n";
  for (size_t e = 0; e < std::min(kShown, explanation.edges.size()); ++e) {
    const ExplainedEdge& edge = explanation.edges[e];
    const int32_t known = model.labels[static_cast<size_t>(edge.row)];
    const bool trained = taught(model, edge.row);
    fmt::format_to(to, "  {:<10} {:6.3f}  row {} ({} {}), graph {}\n", bar(edge.weight),
                   edge.weight, row_id(model, edge.row), trained ? "labelled" : "predicted",
                   class_or_unknown(model, trained ? known : predicted[edge.row]), edge.module + 1);
  }
  const size_t more = std::max(explanation.features.size(), kShown) - kShown +
                      std::max(explanation.edges.size(), kShown) - kShown;
  if (more > 0) fmt::format_to(to, "  and {} more (--json lists all)\n", more);
  text += "parts of the graphs ";
  for (size_t m = 0; m < explanation.modules.size(); ++m) {
    fmt::format_to(to, "{}{} {:.2f}", m > 0 ? " - " : "", m + 1, explanation.modules[m]);
  }
  fmt::format_to(
      to,
      "\nwithout all this the probability falls by {:.3f} (fidelity+); with nothing else "
      "by {:.3f} (fidelity-); {:.1f} % of edges and features are not needed (sparsity)\n",
      explanation.fidelity_plus, explanation.fidelity_minus, 100 * explanation.sparsity);
  return text;
}

int32_t row_named(const Model& model, const std::string& id) {
  if (!model.row_ids.empty()) {
    const auto found = std::find(model.row_ids.begin(), model.row_ids.end(), id);
    if (found != model.row_ids.end()) return static_cast<int32_t>(found - model.row_ids.begin());
    throw Error(ErrorKind::kUsage, "--row: found " + quote(id) +
                                       ", expected an id of the fitted data; the nearest is " +
                                       quote(nearest_names(id, model.row_ids)[0]));
  }
  int32_t row = -1;
  const auto [end, fault] = std::from_chars(id.data(), id.data() + id.size(), row);
  const int64_t rows = model.probabilities.rows();
  if (fault == std::errc() && end == id.data() + id.size() && row >= 0 && row < rows) return row;
  throw Error(ErrorKind::kUsage, "--row: found " + quote(id) +
                                     ", expected a row number from 0 to " +
                                     std::to_string(rows - 1));
}

namespace {

// From where on it is worth a word.
constexpr double kDoubtful = 0.5, kDisagreeing = 0.1, kReaching = 1.5;

}  // namespace

std::string suggestion_reason(const Model& model, const Suggestion& suggestion) {
  const float* p = model.probabilities[suggestion.row];
  const auto share = [&](int32_t c) {
    return fmt::format("{} {:.0f} %", model.class_names[static_cast<size_t>(c)], 100 * p[c]);
  };
  std::string reason = suggestion.doubt >= kDoubtful && suggestion.next >= 0
                           ? share(suggestion.likely) + " or " + share(suggestion.next)
                           : "likely " + share(suggestion.likely);
  if (suggestion.disagreement >= kDisagreeing) reason += "; the graphs disagree";
  if (suggestion.reach >= kReaching) {
    reason += fmt::format("; speaks for {} rows", std::lround(suggestion.reach));
  }
  return reason;
}

Json suggestions_json(const Model& model, const std::vector<Suggestion>& suggestions) {
  Json list = Json::array();
  for (const Suggestion& suggestion : suggestions) {
    list.push_back({{"id", row_id(model, suggestion.row)},
                    {"row", suggestion.row},
                    {"score", suggestion.score},
                    {"reason", suggestion_reason(model, suggestion)},
                    {"doubt", suggestion.doubt},
                    {"disagreement", suggestion.disagreement},
                    {"reach", suggestion.reach}});
  }
  return list;
}

}  // namespace glgnn
