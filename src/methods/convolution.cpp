#include "methods/convolution.h"

namespace glgnn {

GraphLayers::GraphLayers(const Features& x, int64_t hidden, int64_t out, uint64_t seed,
                         uint32_t number)
    : input_(x),
      number_(2 * number),
      w1_(start_weights("w1", x.cols(), hidden, seed, number_)),
      b1_("b1", 1, hidden),
      w2_(start_weights("w2", hidden, out, seed, number_ + 1)),
      b2_("b2", 1, out) {}

void GraphLayers::join(Network& network) {
  network.parameters.insert(network.parameters.end(), {&w1_, &b1_, &w2_, &b2_});
  network.decayed.push_back(&w1_);
}

Var GraphLayers::hidden(Tape& tape, const NetworkPass& pass, const Spread& spread) {
  const Var x = spread(tape, input_.times(tape, tape.parameter(w1_), pass, number_));
  return relu(tape, add_bias(tape, x, tape.parameter(b1_)));
}

Var GraphLayers::out(Tape& tape, const NetworkPass& pass, const Spread& spread, Var h) {
  const Var kept = dropout(tape, h, pass.dropout, pass.numbers(number_ + 1));
  const Var o = spread(tape, linear(tape, kept, tape.parameter(w2_)));
  return add_bias(tape, o, tape.parameter(b2_));
}

Var GraphLayers::logits(Tape& tape, const NetworkPass& pass, const Spread& spread) {
  return out(tape, pass, spread, hidden(tape, pass, spread));
}

MethodAnswer fit_two_layers(const MethodTask& task, const Spread& spread, const Matrix* taught) {
  GraphLayers layers(*task.problem.features, task.count("hidden"), task.problem.classes, task.seed);
  Network network{.taught = taught};
  layers.join(network);
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    return layers.logits(tape, pass, spread);
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

Spread spread_over(SparseVar graph) {
  return [graph = std::move(graph)](Tape& tape, Var h) { return spmm(tape, graph, h); };
}

}  // namespace glgnn
