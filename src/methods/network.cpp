#include "methods/network.h"

#include <cmath>

#include "kernels/dense.h"
#include "kernels/losses.h"
#include "modules/soft_labels.h"

namespace glgnn {
namespace {

// Epochs without a better one until training stops.
constexpr int64_t kPatience = 100;

struct Look {
  double accuracy = 0, loss = 0;
  bool is_better_than(const Look& other) const {
    return accuracy != other.accuracy ? accuracy > other.accuracy : loss < other.loss;
  }
};

Look look_at_validation(const Matrix& logits, const Problem& problem) {
  if (problem.val.empty()) return {};
  return {accuracy(logits, problem.labels, problem.val),
          ref::cross_entropy_forward<float>(logits.view(), problem.val, problem.labels.data())};
}

}  // namespace

Parameter start_weights(const std::string& name, int64_t rows, int64_t cols, uint64_t seed,
                        uint32_t number) {
  Parameter p(name, rows, cols);
  const Rng rng{seed, Stream::kInit, number, 0};
  const double limit = std::sqrt(6.0 / static_cast<double>(rows + cols));
  for (int64_t e = 0; e < p.value.size(); ++e) {
    p.value.data()[e] =
        static_cast<float>(limit * (2.0 * rng.uniform(static_cast<uint64_t>(e)) - 1.0));
  }
  return p;
}

InputRows::InputRows(const Features& x) : x_(x) {
  no_labels_ = Matrix(x.rows(), 0);
  if (!x.is_sparse) return;
  by_column_ = std::make_shared<Transpose>(transpose(x.sparse.pattern->view()));
  values_ = Matrix(x.sparse.nnz(), 1);
  std::copy(x.sparse.values.begin(), x.sparse.values.end(), values_.data());
}

Var InputRows::times(Tape& tape, Var w, const NetworkPass& pass, uint32_t layer) const {
  const Rng numbers = pass.numbers(layer);
  if (!x_.is_sparse) {
    return dropout_linear(tape, Tape::constant(x_.dense), w, pass.dropout, numbers);
  }
  const Var values = dropout(tape, Tape::constant(values_), pass.dropout, numbers);
  return sparse_linear(tape, *x_.sparse.pattern, *by_column_, values, w);
}

Var InputRows::times(Tape& tape, Var w, const Matrix& numbers) const {
  const Var x = Tape::constant(numbers);
  return x_.is_sparse ? sparse_linear(tape, *x_.sparse.pattern, *by_column_, x, w)
                      : linear(tape, x, w);
}

RowsVar InputRows::weighted(Tape& tape, Var s) const {
  const Var x = Tape::constant(numbers());
  return unit_rows(tape,
                   x_.is_sparse ? feature_select(tape, x_.sparse.pattern, by_column_, x, s, 0)
                                : feature_select(tape, x, s, Tape::constant(no_labels_)),
                   1.0f);
}

Csr copy_of(const SparseVar& graph) {
  const Matrix& values = *graph.values.value;
  return {graph.pattern, {values.data(), values.data() + values.size()}};
}

void add_gradient(Tape& tape, Var x, Matrix gradient) {
  if (!x.grad) return;
  tape.record([x, &kept = tape.keep(std::move(gradient))] {
    for (int64_t e = 0; e < kept.size(); ++e) x.d_data()[e] += kept.data()[e];
  });
}

void step_all(std::span<Parameter* const> parameters, double rate, int64_t step) {
  for (Parameter* p : parameters) {
    ref::adam_step(p->value.data(), p->mean.data(), p->square.data(), p->grad.data(),
                   p->value.size(), rate, step);
    p->grad.fill(0.0f);
  }
}

MethodAnswer train_network(const Network& network, const MethodTask& task) {
  const Problem& problem = task.problem;
  const auto decay = static_cast<float>(0.5 * task.value("weight_decay"));
  Tape training(task.context, true), evaluation(task.context, false);
  const auto rows = problem.features->rows();
  const Matrix every_row(rows, 1, 1.0f / static_cast<float>(rows));
  NetworkPass pass{.seed = task.seed};
  MethodAnswer best;
  best.epochs = task.count("epochs");
  Look best_look;
  for (int64_t epoch = 1; epoch <= best.epochs && epoch - best.best_epoch <= kPatience; ++epoch) {
    pass.epoch = epoch;
    pass.dropout = static_cast<float>(task.value("dropout"));
    const Var logits = network.logits(training, pass);
    if (network.taught)
      soft_cross_entropy(training, logits, *network.taught, every_row, 1.0f);
    else
      cross_entropy(training, logits, problem.train, problem.labels, 1.0f);
    if (network.extra) network.extra(training, pass, logits);
    for (Parameter* p : network.decayed) sum_squares(training, training.parameter(*p), decay);
    training.backward();
    step_all(network.parameters, task.value("learning_rate"), epoch);
    training.clear();
    if (network.after_step) network.after_step();

    pass.dropout = 0;
    const Matrix& said = *network.logits(evaluation, pass).value;
    const Look look = look_at_validation(said, problem);
    if (epoch == 1 || problem.val.empty() || look.is_better_than(best_look)) {
      best_look = look;
      best.best_epoch = epoch;
      best.probabilities = said;
      if (network.graph) best.graph = copy_of(network.graph());
    }
    evaluation.clear();
  }
  softmax_rows(best.probabilities);
  return best;
}

std::vector<MethodSetting> training_settings(const TrainingStart& start) {
  // A method whose paper drops nothing is not made to.
  const std::vector<double> drops =
      start.dropout == 0 ? std::vector<double>{0} : std::vector<double>{0, 0.25, 0.5, 0.75};
  return {
      {"learning_rate", start.learning_rate, {0.005, 0.01, 0.03}, "step size of Adam"},
      {"weight_decay", start.weight_decay, {5e-5, 5e-4, 5e-3}, "of the first layer's weights"},
      {"dropout", start.dropout, drops, "part of each layer's input left out"},
      {"epochs", start.epochs, {start.epochs}, "at most"},
  };
}

std::vector<MethodSetting> operator+(std::vector<MethodSetting> a,
                                     const std::vector<MethodSetting>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace glgnn
