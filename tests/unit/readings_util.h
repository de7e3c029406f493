// One pass or one training of a small model, and questions about its graphs, for the tests of
// readings.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "modules/kinds.h"
#include "network/gl_gnn.h"
#include "toy.h"

namespace glgnn {

using test::Toy;

struct Forward {
  std::vector<Csr> graphs;
  std::vector<Csr> second_graphs;  // training passes only
  Matrix network, logits;
};

// A fresh model's pass, after `epochs` training steps of the optimiser-free kind (hop graphs only).
inline Forward forward(const Problem& problem, const Config& config, bool training,
                       int finished = 0) {
  const Context context{1};
  GlGnn model(problem, config, context);
  for (int e = 0; e < finished; ++e) {
    Tape tape(context, false);
    model.finish_epoch(model.forward(tape, {true, static_cast<uint32_t>(e), true}));
  }
  Tape tape(context, false);
  const GlGnnOutput out = model.forward(tape, {training, static_cast<uint32_t>(finished), true});
  Forward result;
  for (const SubModuleOutput& module : out.modules) {
    result.graphs.push_back(to_csr(module.graph));
    if (training) result.second_graphs.push_back(to_csr(module.second_graph));
  }
  result.network = *out.network.network.value;
  result.logits = *out.network.logits.value;
  return result;
}

inline Model train(const Problem& problem, const Config& config) {
  return fit(problem, config, Context{1}).model;
}

// What a module of a trained model keeps.
inline const PaperState& state_of(const Model& model, size_t module) {
  return std::get<PaperState>(*model.modules[module].state);
}

inline double diagonal_weight(const Csr& graph, int64_t i) {
  for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
    if (graph.pattern->col[e] == i) return graph.values[e];
  }
  return 0;
}

inline double largest_off_diagonal(const Csr& graph, int64_t i) {
  double top = 0;
  for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
    if (graph.pattern->col[e] != i) top = std::max<double>(top, graph.values[e]);
  }
  return top;
}

inline bool has_edge(const Csr& graph, int64_t i, int64_t j) {
  const auto* begin = graph.pattern->col.data() + graph.pattern->row_ptr[i];
  const auto* end = graph.pattern->col.data() + graph.pattern->row_ptr[i + 1];
  return std::binary_search(begin, end, static_cast<int32_t>(j));
}

}  // namespace glgnn
