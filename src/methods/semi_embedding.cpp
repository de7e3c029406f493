// Semi-supervised embedding: a feed-forward network whose hidden units are near for neighbours in a
// graph, and apart for other rows.
#include <algorithm>

#include "methods/methods.h"
#include "methods/network.h"
#include "methods/pair_rows.h"
#include "methods/row_neighbours.h"

namespace glgnn {
namespace {

// Edges of the graph, and as many pairs of any rows.
struct DrawnPairs {
  RowPairs near, far;
};

DrawnPairs draw_pairs(const Pattern& graph, int64_t count, const Rng& rng) {
  std::vector<int32_t> row_of;
  for (int64_t i = 0; i < graph.rows; ++i) {
    row_of.insert(row_of.end(), static_cast<size_t>(graph.view().row_size(i)),
                  static_cast<int32_t>(i));
  }
  DrawnPairs drawn;
  const auto rows = static_cast<uint32_t>(graph.rows);
  for (int64_t e = 0; e < count; ++e) {
    const auto bits = rng.block(static_cast<uint64_t>(e));
    if (!row_of.empty()) {
      const uint64_t edge = bits[0] % row_of.size();
      drawn.near.emplace_back(row_of[edge], graph.col[edge]);
    }
    const auto i = static_cast<int32_t>(bits[1] % rows), j = static_cast<int32_t>(bits[2] % rows);
    if (i != j) drawn.far.emplace_back(i, j);
  }
  return drawn;
}

MethodAnswer fit_embedding(const MethodTask& task) {
  const InputRows input(*task.problem.features);
  const Csr graph = weighted_graph(task);
  const int64_t hidden = task.count("hidden"), classes = task.problem.classes;
  const int64_t rows = task.problem.features->rows(), drawn_pairs = std::min<int64_t>(rows, 1000);
  Parameter w1 = start_weights("w1", input.cols(), hidden, task.seed, 0);
  Parameter w2 = start_weights("w2", hidden, classes, task.seed, 1);
  Parameter b1("b1", 1, hidden), b2("b2", 1, classes);
  const Matrix ones(hidden, 1, 1.0f);
  Var embedding;
  Network network{.parameters = {&w1, &b1, &w2, &b2}, .decayed = {&w1}};
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    const Var x = input.times(tape, tape.parameter(w1), pass, 0);
    embedding = relu(tape, add_bias(tape, x, tape.parameter(b1)));
    const Var kept = dropout(tape, embedding, pass.dropout, pass.numbers(1));
    return add_bias(tape, linear(tape, kept, tape.parameter(w2)), tape.parameter(b2));
  };
  // |h_i - h_j|^2 of neighbours, and max(0, 1 - |h_i - h_j|^2)^2 of the others.
  network.extra = [&](Tape& tape, const NetworkPass& pass, Var) {
    const DrawnPairs pairs = draw_pairs(*graph.pattern, drawn_pairs, pass.numbers(2));
    const auto weight = static_cast<float>(task.value("weight") / static_cast<double>(drawn_pairs));
    if (!pairs.near.empty()) {
      const PairRows& near = tape.keep(PairRows(pairs.near, rows, 1.0f, -1.0f));
      sum_squares(tape, near.times(tape, embedding), weight);
    }
    const PairRows& far = tape.keep(PairRows(pairs.far, rows, 1.0f, -1.0f));
    const Var apart = far.times(tape, embedding);
    const Var squares = linear(tape, multiply(tape, apart, apart), Tape::constant(ones));
    sum_squares(tape, relu(tape, one_minus(tape, squares)), weight);
  };
  return train_network(network, task);
}

}  // namespace

Method semi_embedding_method() {
  return {.name = "semi-emb",
          .paper = "Weston, Ratle and Collobert, ICML 2008",
          .text = "feed-forward network whose hidden layer keeps neighbours together, others apart",
          .settings =
              std::vector<MethodSetting>{{"weight", 10, {1, 10, 100}, "of the pairs' loss"},
                                         {"hidden", 32, {16, 32, 64}, "units of the first layer"}} +
              weighted_settings() + training_settings({.dropout = 0}),
          .fit = fit_embedding};
}

}  // namespace glgnn
