// A given graph in a few numbers.
#pragma once

#include <glgnn/dataset.h>

#include <cstdint>

namespace glgnn {

struct GraphSummary {
  int64_t edges = 0;              // each counted once
  int64_t components = 0;         // parts that no edge joins, rows without edges among them
  int64_t largest_component = 0;  // in rows
  int64_t lone_rows = 0;          // without an edge
  int64_t labelled_edges = 0;     // both ends have a label ...
  int64_t same_class = 0;         // ... and the same one
};

// Of the dataset's graph, which must be there.
GraphSummary summarise_graph(const Dataset& dataset);

}  // namespace glgnn
