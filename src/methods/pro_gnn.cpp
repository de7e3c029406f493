// Pro-GNN: the graph itself is trained beside the GCN, to stay near the given one, sparse, of low
// rank, and smooth over the features.
#include <algorithm>

#include "methods/convolution.h"
#include "methods/learned_graph.h"
#include "methods/methods.h"
#include "methods/row_neighbours.h"
#include "modules/feature_products.h"

namespace glgnn {
namespace {

constexpr int64_t kStepsOfADecomposition = 10;

// What each pair weighs in the best approximation of low rank of a graph of pairs.
class LowRank {
 public:
  LowRank(int64_t rank, int threads) : rank_(rank), threads_(threads) {}

  void look(const SharedPattern& upper, const Matrix& values) {
    Features whole;
    whole.is_sparse = true;
    whole.sparse = both_halves({upper, {values.data(), values.data() + values.size()}});
    found_ = leading_directions(whole, rank_, threads_);
  }

  float at(int64_t i, int64_t j) const {
    float sum = 0;
    for (int64_t r = 0; r < found_.scores.cols(); ++r) {
      sum += found_.scores[i][r] * found_.directions[j][r];
    }
    return sum;
  }

 private:
  int64_t rank_;
  int threads_;
  Directions found_;
};

MethodAnswer fit_pro_gnn(const MethodTask& task) {
  const Problem& problem = task.problem;
  const Features& x = *problem.features;
  const Csr pairs = upper_half(with_pairs(start_graph(task), neighbour_graph(task, 0).pattern));
  const auto work = std::make_shared<PatternWork>(pairs.pattern);
  Parameter weights("graph", pairs.nnz(), 1);
  std::copy(pairs.values.begin(), pairs.values.end(), weights.value.data());
  GraphLayers layers(x, task.count("hidden"), problem.classes, task.seed);
  Network network;
  layers.join(network);
  SparseVar graph;
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    graph = normalised_pairs(tape, work, tape.parameter(weights));
    return layers.logits(tape, pass, spread_over(graph));
  };
  network.graph = [&] { return graph; };

  LowRank low_rank(task.count("rank"), task.context.threads);
  const Matrix apart = pair_distances(x, *pairs.pattern);
  const double rate = task.value("graph_rate");
  int64_t steps = 0;
  network.after_step = [&] {
    if (steps++ % kStepsOfADecomposition == 0) low_rank.look(pairs.pattern, weights.value);
    for (int64_t i = 0; i < pairs.rows(); ++i) {
      for (int64_t e = pairs.pattern->row_ptr[i]; e < pairs.pattern->row_ptr[i + 1]; ++e) {
        const int32_t j = pairs.pattern->col[e];
        float& w = weights.value.data()[e];
        const double gradient = task.value("gain") * weights.grad.data()[e] +
                                2 * (w - pairs.values[e]) +
                                task.value("low_rank") * 2 * (w - low_rank.at(i, j)) +
                                task.value("smooth") * apart.data()[e] + task.value("sparse");
        w = static_cast<float>(std::clamp(w - rate * gradient, 0.0, 1.0));
      }
    }
    weights.grad.fill(0.0f);
  };
  return train_network(network, task);
}

}  // namespace

Method pro_gnn_method() {
  return {
      .name = "pro-gnn",
      .paper = "Jin, Ma, Liu, Tang, Wang and Tang, KDD 2020",
      .text = "GCN and graph trained together: near the given one, sparse, low rank, smooth",
      .settings =
          std::vector<MethodSetting>{{"graph_rate", 0.1, {0.01, 0.1}, "step size of the graph"},
                                     {"gain", 1, {1, 100}, "weight of the labels' loss"},
                                     {"smooth", 1, {0, 0.1, 1}, "weight of distances along edges"},
                                     {"sparse", 5e-4, {5e-4, 0.05, 0.2}, "of edges' sum"},
                                     {"low_rank", 1, {0, 0.3, 1}, "of the low rank"},
                                     {"rank", 10, {10, 50}, "of the graph"}} +
          neighbour_settings() + convolution_settings(),
      .fit = fit_pro_gnn};
}

}  // namespace glgnn
