// Edges as they are read from any kind of graph file, before they become a graph.
#pragma once

#include <glgnn/dataset.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "data/message.h"

namespace glgnn {

struct Edge {
  int32_t from;
  int32_t to;
  float weight;
};

// Edges with what was left out on the way.
struct EdgeList {
  std::vector<Edge> edges;
  int64_t self_loops = 0;
  int64_t without_weight = 0;

  void add(int64_t from, int64_t to, float weight);
};

// Finds rows by their id, or by their number where rows have no ids. Ids that are whole numbers may
// be written in another way ("007", "7.0"), unless two ids are then the same.
class RowNames {
 public:
  explicit RowNames(const Dataset& dataset);

  // The row, or -1.
  int64_t find(const std::string& name) const;

  // The row; kData where there is none.
  int64_t need(const std::string& name, const Place& place) const;

  bool by_number() const { return rows_.empty(); }

  // What was found in another way of writing, in one sentence; empty if nothing was.
  std::string note() const;

 private:
  const Dataset& dataset_;
  std::unordered_map<std::string, int64_t> rows_;
  std::unordered_map<int64_t, int64_t> by_value_;  // -1: of several rows
  mutable std::string written_, meant_;            // the first such pair
};

// A weight as it is written; false where it is negative or not a number.
bool parse_weight(const std::string& text, float& weight);
// Throws unless a matrix is as large as the data.
void check_graph_size(int64_t rows, int64_t columns, int64_t expected,
                      const std::filesystem::path& path);
[[noreturn]] void bad_weight(const std::string& text, const Place& place);

EdgeList read_text_edges(const std::filesystem::path& path, const RowNames& names,
                         std::vector<std::string>& notes);                        // edge_text.cpp
EdgeList read_graphml(const std::filesystem::path& path, const RowNames& names);  // graphml.cpp
EdgeList read_mtx_edges(const std::filesystem::path& path, int64_t rows);  // matrix_market.cpp

// A given graph in a few numbers.

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
