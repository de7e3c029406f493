#include "data/graph_summary.h"

#include <algorithm>

namespace glgnn {

GraphSummary summarise_graph(const Dataset& dataset) {
  const Pattern& graph = *dataset.graph.pattern;
  GraphSummary summary;
  summary.edges = graph.nnz() / 2;
  std::vector<bool> seen(static_cast<size_t>(graph.rows));
  std::vector<int32_t> open;
  for (int64_t start = 0; start < graph.rows; ++start) {
    summary.lone_rows += graph.row_ptr[start] == graph.row_ptr[start + 1];
    if (seen[start]) continue;
    seen[start] = true;
    open.assign(1, static_cast<int32_t>(start));
    int64_t size = 0;
    while (!open.empty()) {
      const int32_t row = open.back();
      open.pop_back();
      ++size;
      for (int64_t e = graph.row_ptr[row]; e < graph.row_ptr[row + 1]; ++e) {
        const int32_t next = graph.col[e];
        if (!seen[next]) open.push_back(next);
        seen[next] = true;
        const int32_t a = dataset.labels[row], b = dataset.labels[next];
        if (row > next || a < 0 || b < 0) continue;
        ++summary.labelled_edges;
        summary.same_class += a == b;
      }
    }
    ++summary.components;
    summary.largest_component = std::max(summary.largest_component, size);
  }
  return summary;
}

}  // namespace glgnn
