// Everything the report's page shows, as one JSON object (web/src/data.ts reads it).
#pragma once

#include <glgnn/model.h>

#include "report/json.h"
#include "report/report_rows.h"

namespace glgnn {

// The model must have its data (keep_data).
Json report_data(const Model& model, const ReportLimits& limits = {});

}  // namespace glgnn
