// Everything the report's page shows, as JSON (web/src/data.ts reads it).
#pragma once

#include <glgnn/context.h>
#include <glgnn/model.h>

#include <cstdint>
#include <vector>

#include "report/json.h"

namespace glgnn {

struct ReportLimits {
  int64_t rows = 20'000;           // above: every n-th row
  int64_t fused_edges = 200'000;   // above: each row's strongest edges
  int64_t module_edges = 400'000;  // of all modules' graphs together
  int64_t values = 100'000;        // rows x features, those with the largest weights
  int64_t reasons = 20'000'000;    // work of explaining rows: about a second of one thread
};

// The model must have its data (keep_data).
Json report_data(const Model& model, const ReportLimits& limits = {});

// The part that is as long as the data (report_rows.cpp): rows, their graphs and their features,
// cut to what a browser draws at once.

// The graph among the shown rows, without loops, numbered as they are shown; of each row the
// strongest edges, as many as keep the whole within `limit`.
Csr shown_graph(const Csr& graph, const std::vector<int32_t>& rows, int64_t limit);

// A link of a graph is a pair of different rows that is joined in one direction or in both.
int64_t links_of(const Csr& graph);

// ids, labels, predictions, places, values and graphs of the shown rows.
Json rows_json(const Model& model, const ReportLimits& limits);

// Why rows are predicted as they are (report_rows.cpp): what `glgnn explain` says, of as many
// rows as can be explained at once.

// The shown rows whose reasons are in the page, by ascending places: as many as `work` allows;
// those that are wrong or least certain come first.
std::vector<int32_t> explained_places(const Model& model, const std::vector<int32_t>& shown,
                                      int64_t work);

// [{"row": place, "features": [[name, value, weight], ...], "neighbours": [[id, place or -1, graph,
// weight], ...], "more", "without"}, ...]
Json reasons_json(const Model& model, const ReportLimits& limits, const Context& context);

}  // namespace glgnn
