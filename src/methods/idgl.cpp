// Iterative deep graph learning (first named DIAL-GNN): a graph of similar rows, then of similar
// vectors that the network made of it, and so on; each beside the graph at the start.
#include <cmath>
#include <deque>

#include "methods/convolution.h"
#include "methods/learned_graph.h"
#include "methods/methods.h"
#include "methods/pair_rows.h"
#include "methods/row_neighbours.h"

namespace glgnn {
namespace {

// Similarity of pairs: the mean over several heads of the angle between weighted rows. What is
// below `least` is no edge.
class Similarity {
 public:
  Similarity(int64_t columns, int64_t heads, double least, uint64_t seed, uint32_t number)
      : least_(static_cast<float>(least)) {
    for (int64_t h = 0; h < heads; ++h) {
      // About 1, each head another: all columns count at the start.
      Parameter& w = heads_.emplace_back("similarity", 1, columns, 1.0f);
      const Rng rng{seed, Stream::kInit, number + static_cast<uint32_t>(h), 0};
      for (int64_t f = 0; f < columns; ++f) w.value.data()[f] += 0.3f * rng.normal(f);
    }
  }

  void join(Network& network) {
    for (Parameter& w : heads_) network.parameters.push_back(&w);
  }

  template <class WeightedRows>
  Var of(Tape& tape, const std::shared_ptr<PatternWork>& pairs, WeightedRows&& weighted) {
    Var sum;
    for (Parameter& w : heads_) {
      const Var s = edge_dot(tape, pairs->pattern(), weighted(tape.parameter(w)), pairs);
      sum = sum.value ? add(tape, sum, s) : s;
    }
    const Var mean = scale(tape, sum, 1.0f / static_cast<float>(heads_.size()));
    Matrix kept(mean.rows(), 1);
    for (int64_t e = 0; e < kept.size(); ++e) {
      kept.data()[e] = mean.data()[e] >= least_ && mean.data()[e] > 0 ? 1.0f : 0.0f;
    }
    return multiply(tape, mean, Tape::constant(tape.keep(std::move(kept))));
  }

 private:
  std::deque<Parameter> heads_;
  float least_;
};

// Smooth over the features, no row without edges, no large weights. `apart` holds a pair's squared
// distance in units of the mean.
void regularise(Tape& tape, const MethodTask& task, const SparseVar& graph, const Matrix& apart) {
  const Matrix& values = *graph.values.value;
  const Pattern& pattern = *graph.pattern;
  const double n = static_cast<double>(pattern.rows);
  Matrix gradient(values.rows(), 1);
  for (int64_t i = 0; i < pattern.rows; ++i) {
    double degree = 0;
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      degree += values.data()[e];
    }
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      gradient.data()[e] = static_cast<float>((task.value("smooth") * apart.data()[e] -
                                               task.value("degree") / std::max(0.1, degree) +
                                               task.value("sparse") * values.data()[e]) /
                                              n);
    }
  }
  add_gradient(tape, graph.values, std::move(gradient));
}

MethodAnswer fit_idgl(const MethodTask& task) {
  const Problem& problem = task.problem;
  const Features& x = *problem.features;
  const Csr start = start_graph(task);
  const Spread over_start = spread_over(normalised_graph(start));
  const int64_t hidden = task.count("hidden"), heads = task.count("heads");
  GraphLayers layers(x, hidden, problem.classes, task.seed);
  Similarity of_rows(x.cols(), heads, task.value("least"), task.seed, 20);
  Similarity of_vectors(hidden, heads, task.value("least"), task.seed, 40);
  const auto near =
      std::make_shared<PatternWork>(with_pairs(start, neighbour_graph(task, 0).pattern).pattern);
  const Matrix apart = pair_distances(x, *near->pattern());
  NearestPairs nearest(task.count("k"), {near->pattern(), std::vector<float>(apart.size(), 0.0f)});
  Network network;
  layers.join(network);
  of_rows.join(network);
  of_vectors.join(network);
  const auto skip = static_cast<float>(task.value("start")),
             later = static_cast<float>(task.value("later"));
  const Matrix no_labels(x.rows(), 0);
  SparseVar first, last;
  std::vector<Var> said;
  const auto by_row = [](Tape& tape, const std::shared_ptr<PatternWork>& pairs, Var values) {
    SparseVar s = row_scale(tape, {pairs->pattern(), values, nullptr, pairs}, {});
    s.transposed = pairs->transposed();
    return s;
  };
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    said.clear();
    const Var similar =
        of_rows.of(tape, near, [&](Var w) { return layers.input().weighted(tape, w); });
    first = {near->pattern(), similar, nullptr};
    const SparseVar learned = by_row(tape, near, similar);
    const auto beside_start = [&](const Spread& spread) -> Spread {
      return [&over_start, skip, spread](Tape& t, Var h) {
        return add(t, scale(t, over_start(t, h), skip), scale(t, spread(t, h), 1 - skip));
      };
    };
    Spread spread = beside_start(spread_over(learned));
    Var vectors = layers.hidden(tape, pass, spread);
    said.push_back(layers.out(tape, pass, spread, vectors));
    nearest.choose(tape, unit_rows(tape, {vectors, nullptr, nullptr}, 1.0f), pass);
    for (int64_t round = 0; round < task.count("rounds"); ++round) {
      const Var now = of_vectors.of(tape, nearest.work(), [&](Var w) {
        // Columns times w: the product with a diagonal matrix would need one.
        const Var wide = add_bias(tape, Tape::constant(tape.keep(Matrix(x.rows(), hidden))), w);
        return unit_rows(tape, {multiply(tape, vectors, wide), nullptr, nullptr}, 1.0f);
      });
      last = by_row(tape, nearest.work(), now);
      spread = beside_start([&, now = last](Tape& t, Var h) {
        return add(t, scale(t, spmm(t, now, h), later), scale(t, spmm(t, learned, h), 1 - later));
      });
      vectors = layers.hidden(tape, pass, spread);
      said.push_back(layers.out(tape, pass, spread, vectors));
    }
    return said.back();
  };
  network.extra = [&](Tape& tape, const NetworkPass&, Var) {
    for (size_t round = 0; round + 1 < said.size(); ++round) {
      cross_entropy(tape, said[round], problem.train, problem.labels,
                    1.0f / static_cast<float>(said.size()));
    }
    regularise(tape, task, first, apart);
  };
  network.graph = [&] { return last; };
  return train_network(network, task);
}

}  // namespace

Method idgl_method() {
  return {.name = "idgl",
          .paper = "Chen, Wu and Zaki, NeurIPS 2020 (DIAL-GNN)",
          .text = "graph and network learned in turns: similar rows, then similar vectors",
          .settings =
              std::vector<MethodSetting>{
                  {"heads", 4, {2, 4}, "weighted angles of a similarity"},
                  {"least", 0, {0, 0.3, 0.6}, "similarity of an edge"},
                  {"start", 0.8, {0.5, 0.7, 0.8, 0.9}, "part of the graph at the start"},
                  {"later", 0.1, {0.1, 0.5}, "part of the vectors' graph in the learned one"},
                  {"rounds", 2, {1, 2, 4}, "of vectors and their graph"},
                  {"smooth", 0.2, {0.1, 0.2, 0.5}, "weight of distances along edges"},
                  {"degree", 0, {0, 0.1}, "weight of rows with few edges"},
                  {"sparse", 0, {0, 0.1, 0.3}, "weight of squared edges"}} +
              neighbour_settings() + convolution_settings(),
          .fit = fit_idgl};
}

}  // namespace glgnn
