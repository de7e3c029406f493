#include "methods/convolution.h"

#include "methods/network.h"

namespace glgnn {

MethodAnswer fit_two_layers(const MethodTask& task, const Spread& spread, const Matrix* taught) {
  const InputRows input(*task.problem.features);
  const int64_t hidden = task.count("hidden"), classes = task.problem.classes;
  Parameter w1 = start_weights("w1", input.cols(), hidden, task.seed, 0);
  Parameter w2 = start_weights("w2", hidden, classes, task.seed, 1);
  Parameter b1("b1", 1, hidden), b2("b2", 1, classes);
  Network network{.parameters = {&w1, &b1, &w2, &b2},
                  .decayed = {&w1},
                  .logits = {},
                  .extra = {},
                  .taught = taught};
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    const Var x = spread(tape, input.times(tape, tape.parameter(w1), pass, 0));
    const Var h = relu(tape, add_bias(tape, x, tape.parameter(b1)));
    const Var kept = dropout(tape, h, pass.dropout, pass.numbers(1));
    const Var o = spread(tape, linear(tape, kept, tape.parameter(w2)));
    return add_bias(tape, o, tape.parameter(b2));
  };
  return train_network(network, task);
}

std::vector<MethodSetting> convolution_settings() {
  return std::vector<MethodSetting>{{"hidden", 16, {16, 32, 64}, "units of the first layer"}} +
         training_settings();
}

Csr normalised_graph(const Csr& graph) {
  SelfLoops loops = add_self_loops(graph.pattern->view());
  Csr out;
  out.values.resize(static_cast<size_t>(loops.pattern.nnz()));
  std::vector<float> factor(static_cast<size_t>(graph.rows()));
  ref::gcn_norm_forward(out.values.data(), factor.data(), loops.pattern.view(), loops.source.data(),
                        graph.values.data());
  out.pattern = std::make_shared<Pattern>(std::move(loops.pattern));
  return out;
}

Spread spread_over(Csr graph) {
  struct Kept {
    Csr graph;
    Matrix values;
    std::shared_ptr<const Transpose> transposed;
  };
  const auto kept = std::make_shared<Kept>();
  kept->transposed = std::make_shared<Transpose>(transpose(graph.pattern->view()));
  kept->values = Matrix(graph.nnz(), 1);
  std::copy(graph.values.begin(), graph.values.end(), kept->values.data());
  kept->graph = std::move(graph);
  return [kept](Tape& tape, Var h) {
    return spmm(tape, {kept->graph.pattern, Tape::constant(kept->values), kept->transposed}, h);
  };
}

}  // namespace glgnn
