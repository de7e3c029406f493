#include "report/report_data.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "model/frozen_model.h"
#include "report/machine.h"
#include "report/model_columns.h"
#include "report/page.h"

namespace glgnn {
namespace {

constexpr int64_t kClassesOfMatrix = 60;  // above, a page cannot show a confusion matrix
constexpr int64_t kSteps = 10;            // of certainty, from 0 to 1

// Five digits are more than a picture can show.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10.0, 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

// Labelled rows of one part: how many of each class there are, are predicted, and are right; and
// by label and prediction.
Json part_json(const Model& model, const std::vector<int32_t>& predicted,
               const std::vector<int32_t>& rows) {
  const int64_t classes = model.probabilities.cols();
  const bool has_matrix = classes <= kClassesOfMatrix;
  std::vector<int64_t> actual(static_cast<size_t>(classes)), guessed(actual), right(actual);
  std::vector<int64_t> matrix(static_cast<size_t>(has_matrix ? classes * classes : 0));
  int64_t count = 0, correct = 0;
  for (const int32_t row : rows) {
    const int32_t label = model.labels[static_cast<size_t>(row)];
    if (label < 0) continue;
    const auto is = static_cast<size_t>(label);
    const auto said = static_cast<size_t>(predicted[static_cast<size_t>(row)]);
    ++count;
    ++actual[is];
    ++guessed[said];
    if (is == said) ++right[is], ++correct;
    if (has_matrix) ++matrix[is * static_cast<size_t>(classes) + said];
  }
  return {{"rows", count},        {"correct", correct}, {"actual", actual},
          {"predicted", guessed}, {"right", right},     {"matrix", matrix}};
}

// Labelled rows by how certain the prediction is: how many of each step there are and are right,
// and the mean certainty.
template <class Certainty>
Json calibration_json(const Model& model, const std::vector<int32_t>& said,
                      const std::vector<int32_t>& rows, Certainty&& certainty) {
  std::vector<int64_t> count(kSteps, 0), right(kSteps, 0);
  std::vector<double> sure(kSteps, 0.0);
  for (const int32_t row : rows) {
    if (model.labels[row] < 0) continue;
    const double p = certainty(row);
    const auto step = std::clamp<int64_t>(static_cast<int64_t>(p * kSteps), 0, kSteps - 1);
    ++count[step];
    right[step] += model.labels[row] == said[row];
    sure[step] += p;
  }
  for (int64_t s = 0; s < kSteps; ++s) {
    if (count[s] > 0) sure[s] = rounded(sure[s] / static_cast<double>(count[s]));
  }
  return {{"rows", count}, {"right", right}, {"sure", sure}};
}

// In folds a labelled row is judged by the fold that held it back; its own label taught the others.
Json parts_json(const Model& model) {
  const std::vector<int32_t> predicted = predicted_classes(model.probabilities);
  const bool in_folds = !model.held_back.empty();
  const std::vector<int32_t>& judged = in_folds ? model.held_back : predicted;
  const std::vector<int32_t> validated = validated_rows(model);
  const auto certainty = [&](int32_t row) -> double {
    return model.probabilities[row][predicted[row]];
  };
  const auto validated_certainty = [&](int32_t row) -> double {
    return in_folds ? model.held_back_certainty[row] : certainty(row);
  };
  Json test = part_json(model, predicted, model.test);
  Json val = part_json(model, judged, validated);
  Json train = part_json(model, predicted, model.train);
  test["calibration"] = calibration_json(model, predicted, model.test, certainty);
  val["calibration"] = calibration_json(model, judged, validated, validated_certainty);
  train["calibration"] = nullptr;  // taught by the labels themselves
  return {{"test", std::move(test)}, {"val", std::move(val)}, {"train", std::move(train)}};
}

// By columns, which is how they are drawn.
Json history_json(const Model& model) {
  const auto column = [&](auto member) {
    std::vector<double> values;
    for (const EpochReport& line : model.history) values.push_back(rounded(line.*member));
    return values;
  };
  return {{"loss", column(&EpochReport::loss)},
          {"val_loss", column(&EpochReport::val_loss)},
          {"train_accuracy", column(&EpochReport::train_accuracy)},
          {"val_accuracy", column(&EpochReport::val_accuracy)},
          {"best_epoch", model.best_epoch}};
}

Json modules_json(const Model& model) {
  const std::vector<double> weights = module_weights(model);
  Json modules = Json::array();
  for (size_t m = 0; m < weights.size(); ++m) {
    const FittedModule& module = model.modules[m];
    Json how = nullptr;
    if (const auto found = compares(module)) {
      how = {{"views", found->views},
             {"k", found->k},
             {"metric", found->euclidean ? "Euclidean distance" : "angle"},
             {"by_given_edges", found->by_given_edges},
             {"hears_neighbours", found->hears_neighbours}};
    }
    modules.push_back({{"weight", rounded(weights[m])},
                       {"note", module.note},
                       {"line", module.line >= 0 ? Json(module.line) : Json(nullptr)},
                       {"compares", std::move(how)}});
  }
  return modules;
}

Json network_json(const Model& model) {
  std::vector<double> values;
  for (int64_t e = 0; e < model.network.size(); ++e) {
    values.push_back(rounded(model.network.data()[e]));
  }
  return values;
}

// Parts of the largest, in 16 bits.
Json weights_text(const std::vector<double>& weights) {
  double largest = 0;
  for (const double weight : weights) largest = std::max(largest, std::abs(weight));
  std::vector<uint16_t> parts;
  for (const double weight : weights) {
    const double part = largest > 0 ? std::abs(weight) / largest : 0;
    parts.push_back(static_cast<uint16_t>(std::lround(65535 * part)));
  }
  return base64_of(std::span<const uint16_t>(parts));
}

// Of the graphs of the columns: the pairs with the largest shares, mean of the modules that learned
// them, or as the view has them that modules of best mode read.
Json column_pairs(const Model& model) {
  constexpr size_t kMostPairs = 20;
  std::map<std::pair<int64_t, int64_t>, double> shares;
  for (size_t m = 0; m < model.modules.size(); ++m) {
    const Matrix* lines = model.find_parameter("module" + std::to_string(m) + ".columns");
    for (int64_t e = 0; lines && e < lines->rows(); ++e) {
      const float* line = (*lines)[e];
      shares[{std::lround(line[0]), std::lround(line[1])}] +=
          line[2] / static_cast<double>(model.modules.size());
    }
  }
  const Csr heard = heard_columns(model);
  for (int64_t f = 0; f < heard.rows(); ++f) {
    for (int64_t e = heard.pattern->row_ptr[f]; e < heard.pattern->row_ptr[f + 1]; ++e) {
      shares[{f, heard.pattern->col[e]}] = heard.values[e];
    }
  }
  std::vector<std::pair<std::pair<int64_t, int64_t>, double>> sorted(shares.begin(), shares.end());
  std::ranges::stable_sort(sorted, std::greater{},
                           [](const auto& entry) { return std::abs(entry.second); });
  Json list = Json::array();
  const auto names = std::ssize(model.feature_names);
  for (const auto& [pair, share] : sorted) {
    if (list.size() == kMostPairs) break;
    if (std::min(pair.first, pair.second) < 0 || std::max(pair.first, pair.second) >= names) break;
    list.push_back({model.feature_names[pair.first], model.feature_names[pair.second], share});
  }
  return list;
}

// By the columns of a table, not by the features that they became.
Json features_json(const Model& model) {
  const ModelColumns columns(model);
  Json modules = Json::array();
  for (const FittedModule& module : model.modules) {
    modules.push_back(
        weights_text(columns.merged({module.selection.begin(), module.selection.end()})));
  }
  return {{"names", columns.names()},
          {"count", model.feature_names.size()},
          {"sparse", model.features.is_sparse},
          {"overall", weights_text(columns.merged(feature_weights(model)))},
          {"modules", std::move(modules)},
          {"pairs", column_pairs(model)}};
}

Json settings_list(const Config& config) {
  const std::string mode = get_setting(config, "mode");
  Json list = Json::array();
  for (const Setting& setting : list_settings(config)) {
    if (!setting.mode.empty() && setting.mode != mode) continue;
    list.push_back({{"name", setting.name},
                    {"value", setting.value},
                    {"default", get_setting({}, setting.name)},
                    {"text", setting.text}});
  }
  return list;
}

// As the log says it; the fitted rows' predictions may have seen these labels since.
Json validation_accuracy(const Model& model) {
  if (validated_rows(model).empty() || model.history.empty()) return nullptr;
  return model.history[static_cast<size_t>(model.best_epoch - 1)].val_accuracy;
}

// The accuracy to expect where no test part has shown it.
Json report_estimate(const Model& model) {
  const Estimate& estimate = model.estimate;
  if (estimate.rows == 0 || !model.test.empty()) return nullptr;
  const auto largest = static_cast<size_t>(estimate.majority_class);
  return {{"accuracy", estimate.accuracy},
          {"low", estimate.low},
          {"high", estimate.high},
          {"rows", estimate.rows},
          {"majority_class", model.class_names[largest]},
          {"majority_share", estimate.majority_share},
          {"baseline_accuracy", estimate.baseline < 0 ? Json(nullptr) : Json(estimate.baseline)}};
}

}  // namespace

Json report_data(const Model& model, const ReportLimits& limits) {
  return {{"format", 2},
          {"program", {{"version", version()}, {"commit", commit()}}},
          {"dataset", model.dataset},
          {"mode", get_setting(model.config, "mode")},
          {"rows", model.probabilities.rows()},
          {"folds", model.folds},
          {"has_graph", model.has_graph},
          {"classes", model.class_names},
          {"notes", model.notes},
          {"val_accuracy", validation_accuracy(model)},
          {"estimate", report_estimate(model)},
          {"class_shares", class_shares_json(model)},
          {"parts", parts_json(model)},
          {"history", history_json(model)},
          {"modules", modules_json(model)},
          {"network", network_json(model)},
          {"features", features_json(model)},
          {"settings", settings_list(model.config)},
          {"row_data", rows_json(model, limits)}};
}

}  // namespace glgnn
