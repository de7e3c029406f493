#include "report/json.h"

#include <ctime>
#include <nlohmann/json.hpp>

#include "report/machine.h"

namespace glgnn {

Json value_json(const std::string& value) {
  // Values of settings are words, numbers or true and false; the last three are JSON already.
  Json parsed = Json::parse(value, nullptr, false);
  return parsed.is_primitive() && !parsed.is_discarded() ? parsed : Json(value);
}

Json settings_json(const Config& config) {
  Json object = Json::object();
  for (const auto& setting : list_settings(config)) {
    object[setting.name] = value_json(setting.value);
  }
  return object;
}

Json data_json(const Dataset& dataset, const Split& split) {
  return {{"name", dataset.name},
          {"rows", dataset.rows()},
          {"features", dataset.features.cols()},
          {"sparse", dataset.features.is_sparse},
          {"classes", dataset.class_names},
          {"edges", dataset.has_graph ? Json(dataset.graph.nnz() / 2) : Json(nullptr)},
          {"train", split.train.size()},
          {"val", split.val.size()},
          {"test", split.test.size()},
          {"notes", dataset.notes}};
}

Json class_shares_json(const Model& model) {
  if (model.class_factors.empty()) return nullptr;
  Json shares = Json::object();
  const std::vector<double> values = class_shares(model);
  for (size_t c = 0; c < values.size(); ++c) shares[model.class_names[c]] = values[c];
  return shares;
}

Json estimate_json(const Model& model) {
  const Estimate& estimate = model.estimate;
  const auto known = [&](const Json& value) { return estimate.rows > 0 ? value : Json(nullptr); };
  const auto largest = static_cast<size_t>(estimate.majority_class);
  return {{"estimated_accuracy", known(estimate.accuracy)},
          {"estimated_low", known(estimate.low)},
          {"estimated_high", known(estimate.high)},
          {"estimated_by", estimate.rows},
          {"majority_class", estimate.rows > 0 ? Json(model.class_names[largest]) : Json(nullptr)},
          {"majority_share", known(estimate.majority_share)},
          {"baseline_accuracy", estimate.baseline < 0 ? Json(nullptr) : known(estimate.baseline)},
          {"class_shares", class_shares_json(model)}};
}

Json epoch_json(const EpochReport& report) {
  Json json = {{"event", "epoch"},
               {"epoch", report.epoch},
               {"loss", report.loss},
               {"loss_graph", report.loss_graph},
               {"loss_entropy", report.loss_entropy},
               {"loss_decay", report.loss_decay},
               {"train_accuracy", report.train_accuracy},
               {"val_accuracy", report.val_accuracy},
               {"val_loss", report.val_loss},
               {"best", report.best},
               {"seconds", report.seconds}};
  return json;
}

Json program_json(int threads) {
  return {
      {"glgnn", version()}, {"commit", commit()}, {"threads", threads}, {"machine", cpu_name()}};
}

Json program_json(const Context& context) {
  Json json = program_json(context.threads);
  if (context.device == Device::kCuda) json["device"] = device_text(context);
  return json;
}

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace glgnn
