// Why rows are predicted as they are, for a page: what `glgnn explain` says, of as many rows as can
// be explained at once.
#pragma once

#include <glgnn/context.h>
#include <glgnn/model.h>

#include <cstdint>
#include <vector>

#include "report/json.h"
#include "report/report_rows.h"

namespace glgnn {

// The shown rows whose reasons are in the page, by ascending places: as many as `work` allows;
// those that are wrong or least certain come first.
std::vector<int32_t> explained_places(const Model& model, const std::vector<int32_t>& shown,
                                      int64_t work);

// [{"row": place, "features": [[name, value, weight], ...], "neighbours": [[id, place or -1, graph,
// weight], ...], "more", "without"}, ...]
Json reasons_json(const Model& model, const ReportLimits& limits, const Context& context);

}  // namespace glgnn
