#include "report/predictions.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "report/row_text.h"

namespace glgnn {

std::string predictions_csv(const Model& model) {
  std::string text = "id,predicted,probability";
  for (const auto& name : model.class_names) {
    fmt::format_to(std::back_inserter(text), ",{}", csv_field("p_" + name));
  }
  text += "\n";
  const auto classes = predicted_classes(model.probabilities);
  for (int64_t row = 0; row < model.probabilities.rows(); ++row) {
    const float* probabilities = model.probabilities[row];
    const auto predicted = static_cast<size_t>(classes[static_cast<size_t>(row)]);
    fmt::format_to(std::back_inserter(text), "{},{},{:.6f}", csv_field(row_id(model, row)),
                   csv_field(model.class_names[predicted]), probabilities[predicted]);
    for (int64_t c = 0; c < model.probabilities.cols(); ++c) {
      fmt::format_to(std::back_inserter(text), ",{:.6f}", probabilities[c]);
    }
    text += "\n";
  }
  return text;
}

Json predictions_json(const Model& model) {
  Json rows = Json::array();
  const auto classes = predicted_classes(model.probabilities);
  for (int64_t row = 0; row < model.probabilities.rows(); ++row) {
    const float* probabilities = model.probabilities[row];
    const auto predicted = static_cast<size_t>(classes[static_cast<size_t>(row)]);
    rows.push_back(
        {{"id", row_id(model, row)},
         {"predicted", model.class_names[predicted]},
         {"probability", probabilities[predicted]},
         {"probabilities",
          std::vector<float>(probabilities, probabilities + model.probabilities.cols())}});
  }
  return {{"dataset", model.dataset}, {"classes", model.class_names}, {"rows", std::move(rows)}};
}

}  // namespace glgnn
