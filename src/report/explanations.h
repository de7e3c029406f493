// Explanations of predictions, as people read them and as machines do.
#pragma once

#include <glgnn/explain.h>
#include <glgnn/model.h>

#include <string>

#include "report/json.h"

namespace glgnn {

// {"id", "predicted", "probability", "label", "edges": [...], "features": [...], "modules": [...],
// "fidelity_plus", "fidelity_minus", "sparsity"}; edges and features with names and weights.
Json explanation_json(const Model& model, const Explanation& explanation);

// The same in sentences and small tables.
std::string explanation_text(const Model& model, const Explanation& explanation);

// The row that a person names: by its id, or by its number where the data have no ids. kUsage, with
// the nearest ids, where there is none.
int32_t row_named(const Model& model, const std::string& id);

}  // namespace glgnn
