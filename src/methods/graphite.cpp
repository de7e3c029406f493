// Graphite: hidden units that tell the graph's edges also make a second, dense graph of similar
// rows; its steps cost no more than its rank.
#include <algorithm>

#include "kernels/dense.h"
#include "methods/convolution.h"
#include "methods/learned_graph.h"
#include "methods/methods.h"
#include "methods/pair_rows.h"
#include "methods/row_neighbours.h"

namespace glgnn {
namespace {

// a' b
Var transposed_times(Tape& tape, Var a, Var b) {
  auto [written, y] = tape.make(a.cols(), b.cols(), a.grad || b.grad);
  cpu::gemm(written->view(), a.view(), b.view(), {.transpose_a = true}, tape.threads());
  if (y.grad) {
    tape.record([&tape, a, b, y = y] {
      if (a.grad) {
        cpu::gemm(a.d_view(), b.view(), y.grad->view(), {.transpose_b = true, .accumulate = true},
                  tape.threads());
      }
      if (b.grad)
        cpu::gemm(b.d_view(), a.view(), y.grad->view(), {.accumulate = true}, tape.threads());
    });
  }
  return y;
}

// (U U' + 11') h / 2N, U being rows of length 1: every row hears all rows, similar ones more.
Var dense_step(Tape& tape, Var u, Var h) {
  const auto each = 0.5f / static_cast<float>(h.rows());
  const Matrix& ones = tape.keep(Matrix(h.rows(), 1, 1.0f));
  const Var to_all = transposed_times(tape, Tape::constant(ones), h);
  return scale(tape, add_bias(tape, linear(tape, u, transposed_times(tape, u, h)), to_all), each);
}

// As many edges as pairs by chance.
struct DrawnEdges {
  RowPairs pairs;
  std::vector<float> is_edge;
};

DrawnEdges draw_edges(const Csr& upper, int64_t count, const Rng& rng) {
  std::vector<int32_t> row_of;
  for (int64_t i = 0; i < upper.rows(); ++i) {
    row_of.resize(static_cast<size_t>(upper.pattern->row_ptr[i + 1]), static_cast<int32_t>(i));
  }
  DrawnEdges drawn;
  const auto rows = static_cast<uint32_t>(upper.rows());
  for (int64_t d = 0; d < count; ++d) {
    const auto bits = rng.block(static_cast<uint64_t>(d));
    if (!row_of.empty()) {
      const size_t e = bits[0] % row_of.size();
      drawn.pairs.emplace_back(row_of[e], upper.pattern->col[e]);
      drawn.is_edge.push_back(1);
    }
    drawn.pairs.emplace_back(static_cast<int32_t>(bits[1] % rows),
                             static_cast<int32_t>(bits[2] % rows));
    drawn.is_edge.push_back(0);
  }
  return drawn;
}

MethodAnswer fit_graphite(const MethodTask& task) {
  const Problem& problem = task.problem;
  const Csr graph = start_graph(task), upper = upper_half(graph);
  const Spread spread = spread_over(normalised_graph(graph));
  const int64_t hidden = task.count("hidden");
  GraphLayers layers(*problem.features, hidden, problem.classes, task.seed);
  Parameter refine = start_weights("refine", hidden, hidden, task.seed, 10);
  Network network{.parameters = {&refine}};
  layers.join(network);
  Var vectors;
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    vectors = layers.hidden(tape, pass, spread);
    const Var unit = unit_rows(tape, {vectors, nullptr, nullptr}, 1.0f).values;
    const Var heard = linear(tape, dense_step(tape, unit, vectors), tape.parameter(refine));
    const auto part = static_cast<float>(task.value("refined"));
    return layers.out(tape, pass, spread, add(tape, vectors, scale(tape, relu(tape, heard), part)));
  };
  network.extra = [&](Tape& tape, const NetworkPass& pass, Var) {
    const DrawnEdges drawn = draw_edges(upper, upper.rows(), pass.numbers(20));
    logistic_loss(tape, pair_products(tape, drawn.pairs, vectors, vectors), drawn.is_edge,
                  task.value("edges"));
  };
  return train_network(network, task);
}

}  // namespace

Method graphite_method() {
  return {
      .name = "graphite",
      .paper = "Grover, Zweig and Ermon, ICML 2019",
      .text = "GCN whose hidden units tell edges and hear all rows, similar ones more",
      .settings =
          std::vector<MethodSetting>{{"refined", 0.5, {0.25, 0.5, 1}, "part of the dense step"},
                                     {"edges", 0.1, {0.01, 0.1, 1}, "weight of the edges' loss"}} +
          neighbour_settings() + convolution_settings(),
      .fit = fit_graphite};
}

}  // namespace glgnn
