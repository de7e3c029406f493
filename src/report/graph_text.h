// One function per text format of a graph: graph_file.cpp chooses among them.
#pragma once

#include <glgnn/graph_file.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace glgnn {

using WriteText = std::function<void(std::string_view)>;

// What the formats say of the rows, made once.
struct GraphRows {
  const Model& model;
  std::vector<int32_t> predicted;
  std::vector<std::string> part;  // train, val, test, or empty

  explicit GraphRows(const Model& of);
  std::string class_name(int32_t number) const;
  std::string known_class(int64_t row) const;      // empty: unknown
  std::string predicted_class(int64_t row) const;  // empty: the model predicts nothing
  float probability(int64_t row) const;            // of the predicted class
};

// Calls visit(source, target, weight) for each edge that a text holds: no self-loop, and of the two
// directions of an undirected one the first.
template <class Visit>
void for_edges(const Csr& graph, const GraphOptions& options, const Visit& visit) {
  for (int64_t i = 0; i < graph.rows(); ++i) {
    for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
      const int64_t j = graph.pattern->col[e];
      if (i == j || (options.undirected && j < i)) continue;
      visit(i, j, graph.values[e]);
    }
    if (options.on_row) options.on_row(i + 1);
  }
}

// `text` as content of an XML document or as a value in double quotes. What XML cannot hold
// (control characters, bytes that are no UTF-8) becomes U+FFFD.
std::string xml_text(std::string_view text);

// "fused", or the number of the module.
std::string graph_name(const GraphOptions& options);

void write_graph_csv(const GraphRows& rows, const Csr& graph, const GraphOptions& options,
                     const WriteText& write);
void write_graphml(const GraphRows& rows, const Csr& graph, const GraphOptions& options,
                   const WriteText& write);
void write_gexf(const GraphRows& rows, const Csr& graph, const GraphOptions& options,
                const WriteText& write);

}  // namespace glgnn
