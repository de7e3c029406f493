// Planetoid-T: every row has a vector from which the rows met in walks and the rows of its class
// can be told; a classifier reads features and vector.
#include <utility>

#include "methods/methods.h"
#include "methods/network.h"
#include "methods/pair_rows.h"
#include "methods/row_neighbours.h"
#include "methods/skip_gram.h"

namespace glgnn {
namespace {

constexpr int64_t kLength = 10;  // of a walk
constexpr double kContextRate = 0.025, kVectorRate = 0.1;

// Of a labelled row: those of its class, and those of other classes.
struct LabelledRows {
  std::vector<int32_t> same, other;
};

// Walks over the graph, and after each of them a pair of labelled rows of one class.
Matrix learn_vectors(const Pattern& edges, const MethodTask& task) {
  const Problem& problem = task.problem;
  std::vector<LabelledRows> of_class(static_cast<size_t>(problem.classes));
  for (const int32_t row : problem.train) {
    for (int32_t c = 0; c < problem.classes; ++c) {
      (problem.labels[row] == c ? of_class[c].same : of_class[c].other).push_back(row);
    }
  }
  SkipGram model(edges, task.count("embedding"), task.seed);
  const int64_t walks = task.count("walks") * edges.rows;
  for (int64_t walk = 0; walk < walks; ++walk) {
    const auto from = static_cast<int32_t>(walk % edges.rows);
    model.learn(model.walk(from, kLength), task.count("window"), false, kContextRate);
    for (int64_t pair = 0; pair < task.count("label_pairs"); ++pair) {
      const int32_t row = model.one_of(problem.train);
      const LabelledRows& rows = of_class[problem.labels[row]];
      if (rows.other.empty()) continue;
      model.meet(row, model.one_of(rows.same), kContextRate,
                 [&] { return model.one_of(rows.other); });
    }
  }
  return std::move(model).vectors();
}

MethodAnswer fit_planetoid(const MethodTask& task) {
  const Problem& problem = task.problem;
  const InputRows input(*problem.features);
  const Csr graph = weighted_graph(task);
  const int64_t wide = task.count("embedding"), classes = problem.classes;
  Parameter vectors("vectors", graph.rows(), wide);
  vectors.value = learn_vectors(*graph.pattern, task);
  Parameter of_x = start_weights("of_x", input.cols(), classes, task.seed, 0);
  Parameter of_e = start_weights("of_e", wide, classes, task.seed, 1);
  Parameter from_x = start_weights("from_x", classes, classes, task.seed, 2);
  Parameter from_e = start_weights("from_e", classes, classes, task.seed, 3);
  Parameter bx("bx", 1, classes), be("be", 1, classes), b("b", 1, classes);
  Network network{.parameters = {&of_x, &of_e, &from_x, &from_e, &bx, &be, &b}, .decayed = {&of_x}};
  Var hidden_x, hidden_e;
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    hidden_x = add_bias(tape, input.times(tape, tape.parameter(of_x), pass, 0), tape.parameter(bx));
    hidden_e = add_bias(tape, linear(tape, tape.parameter(vectors), tape.parameter(of_e)),
                        tape.parameter(be));
    const Var said = add(tape, linear(tape, row_softmax(tape, hidden_x), tape.parameter(from_x)),
                         linear(tape, row_softmax(tape, hidden_e), tape.parameter(from_e)));
    return add_bias(tape, said, tape.parameter(b));
  };
  // Features and vectors must each tell the classes: where the features alone fit the few labelled
  // rows, nothing would be learned from the vectors.
  network.extra = [&](Tape& tape, const NetworkPass&, Var) {
    for (const Var hidden : {hidden_x, hidden_e}) {
      cross_entropy(tape, hidden, problem.train, problem.labels, 1.0f);
    }
  };
  // Plain steps: Adam's would soon give each labelled row a vector of its own.
  network.after_step = [&] {
    for (int64_t e = 0; e < vectors.value.size(); ++e) {
      vectors.value.data()[e] -= static_cast<float>(kVectorRate) * vectors.grad.data()[e];
    }
    vectors.grad.fill(0.0f);
  };
  return train_network(network, task);
}

}  // namespace

Method planetoid_method() {
  return {
      .name = "planetoid",
      .paper = "Yang, Cohen and Salakhutdinov, ICML 2016 (Planetoid-T)",
      .text = "classifier of features and of vectors from which a row's neighbours can be told",
      .settings = std::vector<MethodSetting>{{"embedding", 50, {50}, "numbers of a row's vector"},
                                             {"window", 3, {3, 5}, "rows met together"},
                                             {"walks", 5, {5, 10}, "from each row"},
                                             {"label_pairs", 15, {5, 15}, "after each walk"}} +
                  weighted_settings() +
                  training_settings({.learning_rate = 0.03, .dropout = 0, .epochs = 600}),
      .fit = fit_planetoid};
}

}  // namespace glgnn
