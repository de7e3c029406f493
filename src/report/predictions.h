// The predictions of a model for its rows, as people take them away.
#pragma once

#include <glgnn/model.h>

#include <string>

#include "report/json.h"

namespace glgnn {

// id, predicted, probability, then one column p_CLASS for each class.
std::string predictions_csv(const Model& model);

// {"dataset", "classes", "rows": [{"id", "predicted", "probability", "probabilities": [...]}]}
Json predictions_json(const Model& model);

}  // namespace glgnn
