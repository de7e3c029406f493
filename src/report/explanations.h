// Explanations of predictions, as people read them and as machines do.
#pragma once

#include <glgnn/explain.h>
#include <glgnn/model.h>
#include <glgnn/suggest.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/json.h"

namespace glgnn {

// How the row of an explanation is called, and its class (-1: unknown).
struct RowName {
  std::string id;
  int32_t label = -1;
};
// {"id", "predicted", "probability", "label", "edges": [...], "features": [...], "modules": [...],
// "fidelity_plus", "fidelity_minus", "sparsity"}; edges and features with names and weights.
// Features go by the columns of the table, and have its values: texts, dates, numbers.
Json explanation_json(const Model& model, const Explanation& explanation);  // of a fitted row
Json explanation_json(const Model& model, const Explanation& explanation, const RowName& row);

// The same in sentences and small tables.
std::string explanation_text(const Model& model, const Explanation& explanation);
std::string explanation_text(const Model& model, const Explanation& explanation,
                             const RowName& row);

// The row that a person names: by its id, or by its number where the data have no ids. kUsage, with
// the nearest ids, where there is none.
int32_t row_named(const Model& model, const std::string& id);

// Rows to label next, for people and machines.

// "oak 48 % or elm 45 %; the graphs disagree; speaks for 12 rows"
std::string suggestion_reason(const Model& model, const Suggestion& suggestion);

// A list of objects with id, score and reason, and what they are made of.
Json suggestions_json(const Model& model, const std::vector<Suggestion>& suggestions);

}  // namespace glgnn
