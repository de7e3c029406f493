// The predictions of a model for its rows, as people take them away.
#pragma once

#include <glgnn/model.h>
#include <glgnn/new_rows.h>

#include <string>
#include <vector>

#include "report/json.h"

namespace glgnn {

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
