// The learned graphs, taken away: chosen, thinned out, and written as files of other programs.
//
// The graphs are directed: the edge from row i to row j weighs how much the prediction of row i
// takes from row j, and the edges that leave a row of the fused graph sum to 1 with its self-loop.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/model.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace glgnn {

// The files that write_graph() can write.
enum class GraphFormat {
  kCsv,      // source,target,weight by the ids of the rows
  kGraphml,  // for networkx, igraph, yEd, Cytoscape
  kGexf,     // GEXF 1.3, for Gephi
  kNpz,      // scipy.sparse.load_npz gives the matrix
};

// Which of a model's graphs, and how much of it.
struct GraphOptions {
  int64_t module = 0;       // 0: the fused graph; 1 .. M: the graph of that module
  double min_weight = 0;    // lighter edges are left out
  int64_t top = 0;          // the heaviest edges of each row alone, so many; 0: all
  bool undirected = false;  // (A + A^T) / 2; an edge is among the `top` if it is at either end
  std::function<void(int64_t rows)> on_row{};  // called with the number of rows written so far
};

// The chosen graph as a matrix, with self-loops (which do not count for `top`).
Csr learned_graph(const Model& model, const GraphOptions& options = {});

// The format that a word ("gexf") or the ending of a file's name names; kUsage if there is none.
GraphFormat graph_format(std::string_view word);

// Writes the chosen graph to a file: beside, synced and renamed. Self-loops are in kNpz alone; an
// undirected edge is written once, except in kNpz, whose matrix is symmetric.
void write_graph(const Model& model, GraphFormat format, const std::string& path,
                 const GraphOptions& options = {});

// The same text in pieces, for any format but kNpz.
void write_graph(const Model& model, GraphFormat format,
                 const std::function<void(std::string_view)>& write,
                 const GraphOptions& options = {});

}  // namespace glgnn
