// Rows to label next, for people and machines.
#pragma once

#include <glgnn/suggest.h>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/json.h"

namespace glgnn {

// "oak 48 % or elm 45 %; the graphs disagree; speaks for 12 rows"
std::string suggestion_reason(const Model& model, const Suggestion& suggestion);

// A list of objects with id, score and reason, and what they are made of.
Json suggestions_json(const Model& model, const std::vector<Suggestion>& suggestions);

}  // namespace glgnn
