// Graph learning-convolution: the weight of an edge is learned from the difference of its two rows.
#include "methods/convolution.h"
#include "methods/learned_graph.h"
#include "methods/methods.h"
#include "methods/pair_rows.h"
#include "methods/row_neighbours.h"

namespace glgnn {
namespace {

// The edges of a graph and a self-loop at each row: an edge's row minus its column.
class EdgeDifferences {
 public:
  explicit EdgeDifferences(const Csr& graph)
      : work_(std::make_shared<PatternWork>(normalised_graph(graph).pattern)) {
    RowPairs pairs;
    const Pattern& pattern = *work_->pattern();
    for (int64_t i = 0; i < pattern.rows; ++i) {
      for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
        pairs.emplace_back(static_cast<int32_t>(i), pattern.col[e]);
      }
    }
    differences_ = std::make_shared<PairRows>(pairs, pattern.rows, 1.0f, -1.0f);
  }

  const std::shared_ptr<PatternWork>& work() const { return work_; }

  // softmax over j of leaky_relu(a . |h_i - h_j|): with relu no edge could weigh less than a
  // self-loop.
  SparseVar graph(Tape& tape, Var h, Var a) const {
    const Var d = differences_->times(tape, h);
    const Var apart = add(tape, relu(tape, d), relu(tape, scale(tape, d, -1.0f)));
    const Var scores = leaky_relu(tape, linear(tape, apart, a));
    return {work_->pattern(), edge_softmax(tape, work_->pattern(), scores), work_->transposed(),
            work_};
  }

 private:
  std::shared_ptr<PatternWork> work_;
  std::shared_ptr<const PairRows> differences_;
};

MethodAnswer fit_glcn(const MethodTask& task) {
  const Problem& problem = task.problem;
  const Features& x = *problem.features;
  const EdgeDifferences edges(start_graph(task));
  const Matrix apart = pair_distances(x, *edges.work()->pattern());
  GraphLayers layers(x, task.count("hidden"), problem.classes, task.seed);
  Parameter project = start_weights("project", x.cols(), task.count("projected"), task.seed, 10);
  Parameter a = start_weights("a", task.count("projected"), 1, task.seed, 11);
  Network network{.parameters = {&project, &a}};
  layers.join(network);
  SparseVar graph;
  network.logits = [&](Tape& tape, const NetworkPass& pass) {
    const Var h = layers.input().times(tape, tape.parameter(project), pass, 10);
    graph = edges.graph(tape, h, tape.parameter(a));
    return layers.logits(tape, pass, spread_over(graph));
  };
  // Edges between rows that are far from each other should weigh little, and none should weigh all.
  network.extra = [&](Tape& tape, const NetworkPass&, Var) {
    Matrix gradient(apart.rows(), 1);
    const double each = task.value("smooth") / static_cast<double>(x.rows());
    for (int64_t e = 0; e < gradient.size(); ++e) {
      gradient.data()[e] = static_cast<float>(
          each * (apart.data()[e] + 2 * task.value("even") * graph.values.data()[e]));
    }
    add_gradient(tape, graph.values, std::move(gradient));
  };
  network.graph = [&] { return graph; };
  return train_network(network, task);
}

}  // namespace

Method glcn_method() {
  return {.name = "glcn",
          .paper = "Jiang, Zhang, Lin, Tang and Luo, CVPR 2019",
          .text = "GCN over edges whose weights are learned from the difference of their rows",
          .settings =
              std::vector<MethodSetting>{
                  {"projected", 70, {32, 70}, "columns in which rows are compared"},
                  {"smooth", 0.1, {0.01, 0.1, 1}, "weight of distances along edges"},
                  {"even", 0.1, {0.1, 1}, "weight of squared edges beside it"}} +
              neighbour_settings() + convolution_settings(),
          .fit = fit_glcn};
}

}  // namespace glgnn
