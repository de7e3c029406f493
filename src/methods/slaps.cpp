// SLAPS: the graph is that of similar rows, columns weighted by what is learned; a second network
// over the same graph must guess features that were hidden, so that rows without labels teach too.
#include "methods/convolution.h"
#include "methods/learned_graph.h"
#include "methods/methods.h"
#include "methods/pair_rows.h"

namespace glgnn {
namespace {

constexpr float kHidden = 0.2f;        // part of the numbers that are guessed
constexpr uint64_t kEmptyForEach = 5;  // empty places of sparse rows that are guessed beside each

// What is hidden in one epoch: the numbers that are left, and the places to guess.
struct Guesses {
  Matrix left;
  RowPairs places;  // row, column
  std::vector<float> targets;
};

Guesses hide_numbers(const Features& x, const Matrix& numbers, const Rng& rng) {
  Guesses guesses{.left = numbers, .places = {}, .targets = {}};
  const auto rows = static_cast<uint32_t>(x.rows()), cols = static_cast<uint32_t>(x.cols());
  const auto hide = [&](int64_t row, int64_t column, int64_t at) {
    const auto number = static_cast<uint64_t>(at);
    if (rng.uniform(number) >= kHidden) return;
    guesses.places.emplace_back(static_cast<int32_t>(row), static_cast<int32_t>(column));
    guesses.targets.push_back(x.is_sparse ? 1.0f : numbers.data()[at]);
    guesses.left.data()[at] = 0;
    for (uint64_t e = 0; x.is_sparse && e < kEmptyForEach; ++e) {
      const auto bits = rng.block((uint64_t{1} << 40) + kEmptyForEach * number + e);
      guesses.places.emplace_back(static_cast<int32_t>(bits[0] % rows),
                                  static_cast<int32_t>(bits[1] % cols));
      guesses.targets.push_back(0.0f);
    }
  };
  for (int64_t i = 0; i < x.rows(); ++i) {
    if (x.is_sparse) {
      const Pattern& pattern = *x.sparse.pattern;
      for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
        hide(i, pattern.col[e], e);
      }
    } else {
      for (int64_t f = 0; f < x.cols(); ++f) hide(i, f, i * x.cols() + f);
    }
  }
  return guesses;
}

MethodAnswer fit_slaps(const MethodTask& task) {
  const Problem& problem = task.problem;
  const Features& x = *problem.features;
  const int64_t wide = task.count("guess_hidden");
  GraphLayers layers(x, task.count("hidden"), problem.classes, task.seed);
  Parameter columns("columns", 1, x.cols(), 1.0f);
  Parameter w1 = start_weights("guess1", x.cols(), wide, task.seed, 10);
  Parameter w2 = start_weights("guess2", x.cols(), wide, task.seed, 11);
  Parameter b1("bias1", 1, wide);
  NearestPairs pairs(task.count("k"), no_edges(x.rows()));
  Network network{.parameters = {&columns, &w1, &w2, &b1}};
  layers.join(network);
  SparseVar graph;
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    const RowsVar rows = layers.input().weighted(tape, tape.parameter(columns));
    pairs.choose(tape, rows, pass);
    const Var similar = relu(tape, edge_dot(tape, pairs.pattern(), rows, pairs.work()));
    graph = symmetric_norm(tape, {pairs.pattern(), similar, nullptr, pairs.work()},
                           SymmetricForm::kMean);
    return layers.logits(tape, pass, spread_over(graph));
  };
  network.extra = [&](Tape& tape, const NetworkPass& pass, Var) {
    const Guesses& hidden = tape.keep(hide_numbers(x, layers.input().numbers(), pass.numbers(20)));
    if (hidden.places.empty()) return;
    const Var read = layers.input().times(tape, tape.parameter(w1), hidden.left);
    const Var h = relu(tape, add_bias(tape, spmm(tape, graph, read), tape.parameter(b1)));
    const Var said = pair_products(tape, hidden.places, spmm(tape, graph, h), tape.parameter(w2));
    if (x.is_sparse) {
      logistic_loss(tape, said, hidden.targets, task.value("guess"));
      return;
    }
    Matrix gradient(said.rows(), 1);  // of the mean squared error
    const double each = 2 * task.value("guess") / static_cast<double>(said.rows());
    for (int64_t e = 0; e < said.rows(); ++e) {
      gradient.data()[e] = static_cast<float>(each * (said.data()[e] - hidden.targets[e]));
    }
    add_gradient(tape, said, std::move(gradient));
  };
  network.graph = [&] { return graph; };
  return train_network(network, task);
}

}  // namespace

Method slaps_method() {
  return {.name = "slaps",
          .paper = "Fatemi, El Asri and Kazemi, NeurIPS 2021 (MLP-D)",
          .text = "GCN over a learned graph of similar rows that must also guess hidden features",
          .settings =
              std::vector<MethodSetting>{
                  {"k", 15, {10, 15, 20, 30}, "neighbours of each row"},
                  {"guess", 10, {0.1, 1, 10, 100}, "weight of the hidden features' loss"},
                  {"guess_hidden", 64, {64, 128}, "units of the network that guesses"}} +
              convolution_settings(),
          .fit = fit_slaps};
}

}  // namespace glgnn
