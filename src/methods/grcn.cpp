// Graph-revised convolution: one GCN finds vectors of the rows, similar ones are linked beside the
// given edges, and another GCN reads that graph.
#include "methods/convolution.h"
#include "methods/learned_graph.h"
#include "methods/methods.h"
#include "methods/pair_rows.h"
#include "methods/row_neighbours.h"

namespace glgnn {
namespace {

MethodAnswer fit_grcn(const MethodTask& task) {
  const Problem& problem = task.problem;
  const Csr given = start_graph(task);
  const Spread over_given = spread_over(normalised_graph(given));
  const int64_t hidden = task.count("hidden");
  GraphLayers reads(*problem.features, hidden, problem.classes, task.seed);
  GraphLayers revises(*problem.features, hidden, hidden, task.seed, 1);
  NearestPairs pairs(task.count("revised"), given);
  Network network;
  reads.join(network);
  revises.join(network);
  SparseVar graph;
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    const RowsVar vectors =
        unit_rows(tape, {revises.logits(tape, pass, over_given), nullptr, nullptr}, 1.0f);
    pairs.choose(tape, vectors, pass);
    const Var similar = relu(tape, edge_dot(tape, pairs.pattern(), vectors, pairs.work()));
    const Var values = add(tape, Tape::constant(pairs.always()), similar);
    graph = symmetric_norm(tape, {pairs.pattern(), values, nullptr, pairs.work()},
                           SymmetricForm::kMean);
    return reads.logits(tape, pass, spread_over(graph));
  };
  network.graph = [&] { return graph; };
  return train_network(network, task);
}

}  // namespace

Method grcn_method() {
  return {.name = "grcn",
          .paper = "Yu, Zhang, Jiang, Wu and Yang, ECML PKDD 2020",
          .text = "GCN over the given graph (or the nearest rows) and edges that another GCN adds",
          .settings =
              std::vector<MethodSetting>{{"revised", 5, {5, 20, 50}, "edges added to each row"}} +
              neighbour_settings() + convolution_settings(),
          .fit = fit_grcn};
}

}  // namespace glgnn
