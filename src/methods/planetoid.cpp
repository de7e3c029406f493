// Planetoid-T: every row has a vector from which its neighbours in walks and the rows of its class
// can be told; a classifier reads features and vector.
#include "core/rng.h"
#include "methods/methods.h"
#include "methods/network.h"
#include "methods/pair_rows.h"
#include "methods/row_neighbours.h"

namespace glgnn {
namespace {

// A row and another that is met near it (1) or not (0).
struct Contexts {
  RowPairs pairs;
  std::vector<float> met;

  void add(int32_t row, int32_t other, bool is_met) {
    pairs.emplace_back(row, other);
    met.push_back(is_met ? 1.0f : 0.0f);
  }
};

constexpr int64_t kWalks = 5;
constexpr double kRateAlone = 0.03;

// From each row some walks of up to `window` steps and as many rows by chance; of the training rows
// pairs of the same class and of different ones.
Contexts draw_contexts(const Pattern& graph, const Problem& problem, int64_t window,
                       const Rng& rng) {
  Contexts drawn;
  const auto rows = static_cast<uint32_t>(graph.rows);
  for (int64_t walk = 0; walk < kWalks * graph.rows; ++walk) {
    const auto i = static_cast<int32_t>(walk % graph.rows);
    int32_t at = i;
    const auto first = rng.block(2 * static_cast<uint64_t>(walk));
    const auto second = rng.block(2 * static_cast<uint64_t>(walk) + 1);
    const int64_t steps = 1 + first[0] % static_cast<uint32_t>(window);
    for (int64_t step = 0; step < steps && graph.view().row_size(at) > 0; ++step) {
      const uint32_t number = step < 3 ? first[1 + step] : second[1 + step % 3];
      at = graph.col[graph.row_ptr[at] + number % static_cast<uint32_t>(graph.view().row_size(at))];
    }
    if (at != i) drawn.add(i, at, true);
    drawn.add(i, static_cast<int32_t>(second[0] % rows), false);
  }
  const auto labelled = static_cast<uint32_t>(problem.train.size());
  for (uint32_t r = 0; r < labelled; ++r) {
    const auto bits = rng.block((uint64_t{1} << 40) + r);
    for (const uint32_t number : bits) {
      const int32_t i = problem.train[r], j = problem.train[number % labelled];
      if (i != j) drawn.add(i, j, problem.labels[i] == problem.labels[j]);
    }
  }
  return drawn;
}

MethodAnswer fit_planetoid(const MethodTask& task) {
  const Problem& problem = task.problem;
  const InputRows input(*problem.features);
  const Csr graph = weighted_graph(task);
  const int64_t hidden = task.count("hidden"), wide = task.count("embedding"),
                classes = problem.classes, rows = problem.features->rows();
  Parameter w1 = start_weights("w1", input.cols(), hidden, task.seed, 0);
  Parameter w2 = start_weights("w2", hidden, classes, task.seed, 1);
  Parameter vectors = start_weights("vectors", rows, wide, task.seed, 2);
  Parameter contexts = start_weights("contexts", rows, wide, task.seed, 3);
  Parameter w3 = start_weights("w3", wide, classes, task.seed, 4);
  Parameter b1("b1", 1, hidden), b2("b2", 1, classes);
  Network network{.parameters = {&w1, &b1, &w2, &b2, &w3, &vectors, &contexts}, .decayed = {&w1}};
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    const Var x = input.times(tape, tape.parameter(w1), pass, 0);
    const Var h = relu(tape, add_bias(tape, x, tape.parameter(b1)));
    const Var kept = dropout(tape, h, pass.dropout, pass.numbers(1));
    const Var vector = dropout(tape, tape.parameter(vectors), pass.dropout, pass.numbers(2));
    const Var said =
        add(tape, linear(tape, kept, tape.parameter(w2)), linear(tape, vector, tape.parameter(w3)));
    return add_bias(tape, said, tape.parameter(b2));
  };
  const auto tell_neighbours = [&](Tape& tape, const Rng& rng, double weight) {
    const Contexts drawn = draw_contexts(*graph.pattern, problem, task.count("window"), rng);
    const Var scores =
        pair_products(tape, drawn.pairs, tape.parameter(vectors), tape.parameter(contexts));
    logistic_loss(tape, scores, drawn.met, weight);
  };
  // First the vectors alone, as in the paper.
  Parameter* const both[] = {&vectors, &contexts};
  Tape tape(task.context, true);
  for (int64_t step = 1; step <= task.count("alone"); ++step) {
    tell_neighbours(tape, {task.seed, Stream::kModules, 6, static_cast<uint32_t>(step)}, 1);
    tape.backward();
    tape.clear();
    step_all(both, kRateAlone, step);
  }
  for (Parameter* p : both) {
    p->mean.fill(0.0f);
    p->square.fill(0.0f);
  }
  network.extra = [&](Tape& training, const NetworkPass& pass, Var) {
    tell_neighbours(training, pass.numbers(3), task.value("weight"));
  };
  return train_network(network, task);
}

}  // namespace

Method planetoid_method() {
  return {.name = "planetoid",
          .paper = "Yang, Cohen and Salakhutdinov, ICML 2016 (Planetoid-T)",
          .text = "classifier of features and of vectors from which a row's neighbours can be told",
          .settings =
              std::vector<MethodSetting>{
                  {"embedding", 50, {50}, "numbers of a row's vector"},
                  {"window", 3, {3, 6}, "steps of a walk"},
                  {"weight", 10, {1, 10, 100}, "of the neighbours' loss"},
                  {"alone", 200, {200}, "epochs of the vectors before the classifier's"},
                  {"hidden", 50, {16, 50}, "units that read the features"}} +
              weighted_settings() + training_settings(),
          .fit = fit_planetoid};
}

}  // namespace glgnn
