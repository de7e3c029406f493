// The graph attention network, on the given graph or on that of nearest rows.
#include <deque>
#include <optional>

#include "methods/convolution.h"
#include "methods/methods.h"
#include "methods/network.h"
#include "methods/pair_rows.h"
#include "methods/row_neighbours.h"

namespace glgnn {
namespace {

// A row's neighbours and itself, and the attention that a head pays them.
class Attention {
 public:
  explicit Attention(Csr graph) : pattern_(graph.pattern) {
    RowPairs pairs;
    for (int64_t i = 0; i < pattern_->rows; ++i) {
      for (int64_t e = pattern_->row_ptr[i]; e < pattern_->row_ptr[i + 1]; ++e) {
        pairs.emplace_back(static_cast<int32_t>(i), pattern_->col[e]);
      }
    }
    to_.emplace(pairs, pattern_->rows, 1.0f, 0.0f);
    from_.emplace(pairs, pattern_->rows, 0.0f, 1.0f);
    transposed_ = std::make_shared<Transpose>(transpose(pattern_->view()));
  }

  // softmax over j of leaky_relu(a . h_i + b . h_j), times h.
  Var times(Tape& tape, Var h, Var a, Var b, float drop, const Rng& numbers) const {
    const Var scores =
        add(tape, to_->times(tape, linear(tape, h, a)), from_->times(tape, linear(tape, h, b)));
    const Var weights = edge_softmax(tape, pattern_, leaky_relu(tape, scores));
    return spmm(tape, {pattern_, dropout(tape, weights, drop, numbers), transposed_}, h);
  }

 private:
  SharedPattern pattern_;
  std::shared_ptr<const Transpose> transposed_;
  std::optional<PairRows> to_, from_;
};

// One head of the first layer: its weights, its two attention vectors, and its rows of the second
// layer's weights, so that heads are joined by adding what they say.
struct Head {
  Head(int64_t columns, int64_t hidden, int64_t classes, uint64_t seed, uint32_t number)
      : w(start_weights("w", columns, hidden, seed, number)),
        a(start_weights("a", hidden, 1, seed, number + 1)),
        b(start_weights("b", hidden, 1, seed, number + 2)),
        bias("bias", 1, hidden),
        out(start_weights("out", hidden, classes, seed, number + 3)) {}

  Parameter w, a, b, bias, out;
};

MethodAnswer fit_gat(const MethodTask& task) {
  const Problem& problem = task.problem;
  const Attention attention(problem.graph ? normalised_graph(*problem.graph)
                                          : neighbour_graph(task));
  const InputRows input(*problem.features);
  const int64_t classes = problem.classes;
  std::deque<Head> heads;
  Network network;
  for (int64_t h = 0; h < task.count("heads"); ++h) {
    Head& head = heads.emplace_back(input.cols(), task.count("hidden"), classes, task.seed,
                                    static_cast<uint32_t>(10 + 4 * h));
    for (Parameter* p : {&head.w, &head.a, &head.b, &head.bias, &head.out}) {
      network.parameters.push_back(p);
    }
    network.decayed.insert(network.decayed.end(), {&head.w, &head.out});
  }
  Parameter a = start_weights("a", classes, 1, task.seed, 0);
  Parameter b = start_weights("b", classes, 1, task.seed, 1);
  Parameter bias("bias", 1, classes);
  network.parameters.insert(network.parameters.end(), {&a, &b, &bias});
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    Var joined;
    for (uint32_t h = 0; h < heads.size(); ++h) {
      Head& head = heads[h];
      const Var x = input.times(tape, tape.parameter(head.w), pass, 3 * h);
      const Var heard = attention.times(tape, x, tape.parameter(head.a), tape.parameter(head.b),
                                        pass.dropout, pass.numbers(3 * h + 1));
      const Var active = leaky_relu(tape, add_bias(tape, heard, tape.parameter(head.bias)));
      const Var kept = dropout(tape, active, pass.dropout, pass.numbers(3 * h + 2));
      const Var said = linear(tape, kept, tape.parameter(head.out));
      joined = h == 0 ? said : add(tape, joined, said);
    }
    const auto last = static_cast<uint32_t>(3 * heads.size());
    const Var o = attention.times(tape, joined, tape.parameter(a), tape.parameter(b), pass.dropout,
                                  pass.numbers(last));
    return add_bias(tape, o, tape.parameter(bias));
  };
  return train_network(network, task);
}

}  // namespace

Method gat_method() {
  return {
      .name = "gat",
      .paper = "Velickovic et al., ICLR 2018",
      .text = "graph attention, two layers, over the given graph or that of nearest rows",
      .settings = std::vector<MethodSetting>{{"heads", 8, {4, 8}, "of the first layer"},
                                             {"hidden", 8, {8, 16}, "units of each head"}} +
                  neighbour_settings() +
                  training_settings({.learning_rate = 0.005, .weight_decay = 5e-4, .dropout = 0.5}),
      .fit = fit_gat};
}

}  // namespace glgnn
