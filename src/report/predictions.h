// The predictions of a model for its rows, as people take them away.
#pragma once

#include <glgnn/model.h>
#include <glgnn/new_rows.h>

#include <cstdint>
#include <string>
#include <vector>

#include "report/json.h"

namespace glgnn {

// Rows of a model and fields of a table, as text.

// The id of a row; its number where the data have no ids.
std::string row_id(const Model& model, int64_t row);

// A field of a CSV file, in quotes where it needs them.
std::string csv_field(const std::string& text);

// id, predicted, probability, then one column p_CLASS for each class.
std::string predictions_csv(const Model& model);

// {"dataset", "classes", "rows": [{"id", "predicted", "probability", "probabilities": [...]}]}
Json predictions_json(const Model& model);

// Predictions of new rows, block by block. CSV: as above, then near_1, weight_1, ... (the fitted
// rows that decided). JSON: one object a line.
class NewRowWriter {
 public:
  // The model must outlive this.
  NewRowWriter(const Model& model, int64_t near, bool json)
      : model_(model), near_(near), json_(json) {}

  std::string head() const;
  std::string rows(const std::vector<std::string>& ids, const NewRowPredictions& found) const;

 private:
  const Model& model_;
  int64_t near_;
  bool json_;
};

}  // namespace glgnn
