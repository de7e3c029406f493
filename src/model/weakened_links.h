// Links between a row and the fitted ones, and what is left of them when the row's features change.
#pragma once

#include <vector>

#include "model/frozen_model.h"
#include "modules/comparison.h"

namespace glgnn {

// The links of a fitted row in the learned graphs.
ModuleLinks links_in_graphs(const std::vector<FittedModule>& modules, int32_t row);

// R x L: what part of each link's similarity each changed row keeps, from 0 to 1. The typical
// distance of the row to its neighbours is the measure.
Matrix kept_similarity(const RowLinks& links, const Comparison& comparison,
                       const Features& original, const Features& changed);

// Multiplies the links of module m with the mean of the parts that are kept in its views.
void weigh_links(std::vector<ModuleLinks>& rows, size_t m, const std::vector<Matrix>& kept);

}  // namespace glgnn
