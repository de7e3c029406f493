#include "report/predictions.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace glgnn {

std::string row_id(const Model& model, int64_t row) {
  return model.row_ids.empty() ? std::to_string(row) : model.row_ids[static_cast<size_t>(row)];
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

namespace {

std::string csv_head(const Model& model) {
  std::string text = "id,predicted,probability";
  for (const auto& name : model.class_names) {
    fmt::format_to(std::back_inserter(text), ",{}", csv_field("p_" + name));
  }
  return text;
}

// Without the end of the line.
void add_csv_row(std::string& text, const Model& model, const std::string& id,
                 const float* probabilities, int32_t predicted) {
  fmt::format_to(std::back_inserter(text), "{},{},{:.6f}", csv_field(id),
                 csv_field(model.class_names[static_cast<size_t>(predicted)]),
                 probabilities[predicted]);
  for (size_t c = 0; c < model.class_names.size(); ++c) {
    fmt::format_to(std::back_inserter(text), ",{:.6f}", probabilities[c]);
  }
}

Json json_row(const Model& model, const std::string& id, const float* probabilities,
              int32_t predicted) {
  return {{"id", id},
          {"predicted", model.class_names[static_cast<size_t>(predicted)]},
          {"probability", probabilities[predicted]},
          {"probabilities",
           std::vector<float>(probabilities, probabilities + model.class_names.size())}};
}

}  // namespace

std::string predictions_csv(const Model& model) {
  std::string text = csv_head(model) + "\n";
  const auto classes = predicted_classes(model.probabilities);
  for (int64_t row = 0; row < model.probabilities.rows(); ++row) {
    add_csv_row(text, model, row_id(model, row), model.probabilities[row],
                classes[static_cast<size_t>(row)]);
    text += "\n";
  }
  return text;
}

Json predictions_json(const Model& model) {
  Json rows = Json::array();
  const auto classes = predicted_classes(model.probabilities);
  for (int64_t row = 0; row < model.probabilities.rows(); ++row) {
    rows.push_back(json_row(model, row_id(model, row), model.probabilities[row],
                            classes[static_cast<size_t>(row)]));
  }
  return {{"dataset", model.dataset}, {"classes", model.class_names}, {"rows", std::move(rows)}};
}

std::string NewRowWriter::head() const {
  if (json_) return "";
  std::string text = csv_head(model_);
  for (int64_t e = 1; e <= near_; ++e) {
    fmt::format_to(std::back_inserter(text), ",near_{},weight_{}", e, e);
  }
  return text + "\n";
}

std::string NewRowWriter::rows(const std::vector<std::string>& ids,
                               const NewRowPredictions& found) const {
  std::string text;
  const auto classes = predicted_classes(found.probabilities);
  for (size_t r = 0; r < ids.size(); ++r) {
    const float* probabilities = found.probabilities[static_cast<int64_t>(r)];
    if (json_) {
      Json row = json_row(model_, ids[r], probabilities, classes[r]);
      row["near"] = Json::array();
      for (const NearRow& near : found.near[r]) {
        row["near"].push_back({{"id", row_id(model_, near.row)}, {"weight", near.weight}});
      }
      text += json_text(row) + "\n";
      continue;
    }
    add_csv_row(text, model_, ids[r], probabilities, classes[r]);
    for (int64_t e = 0; e < near_; ++e) {
      const bool there = e < static_cast<int64_t>(found.near[r].size());
      text += there ? fmt::format(",{},{:.4f}", csv_field(row_id(model_, found.near[r][e].row)),
                                  found.near[r][e].weight)
                    : ",,";
    }
    text += "\n";
  }
  return text;
}

}  // namespace glgnn
