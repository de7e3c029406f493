// Two layers over a graph: the one that comes with the data, one of nearest rows, the complete one;
// and over none.

#include <algorithm>
#include <cmath>
#include <set>

#include "methods/convolution.h"
#include "methods/methods.h"
#include "methods/network.h"
#include "methods/row_neighbours.h"
#include "ops/ops.h"

namespace glgnn {

Method gcn_method() {
  return {.name = "gcn",
          .paper = "Kipf and Welling, ICLR 2017",
          .text = "graph convolutions, two layers, over the given graph",
          .needs_graph = true,
          .settings = convolution_settings(),
          .fit = [](const MethodTask& task) {
            const Csr& graph = *task.problem.graph;
            MethodAnswer answer = fit_two_layers(task, spread_over(normalised_graph(graph)));
            answer.graph = graph;
            return answer;
          }};
}

// A feed-forward network: the same two layers without a graph.
Method mlp_method() {
  return {.name = "mlp",
          .paper = "Rumelhart, Hinton and Williams, Nature 1986",
          .text = "feed-forward network of two layers, no graph",
          .settings = convolution_settings(),
          .fit = [](const MethodTask& task) {
            return fit_two_layers(task, [](Tape&, Var h) { return h; });
          }};
}

// The GCN on a graph of nearest neighbours.
Method knn_gcn_method() {
  return {.name = "knn-gcn",
          .paper = "Kipf and Welling, ICLR 2017; graph as in Franceschi et al., ICML 2019",
          .text = "GCN over the graph of each row's k nearest rows",
          .settings = neighbour_settings() + convolution_settings(),
          .fit = [](const MethodTask& task) {
            const Csr graph = neighbour_graph(task);
            MethodAnswer answer = fit_two_layers(task, spread_over(graph));
            answer.graph = graph;
            return answer;
          }};
}

// The GCN on the complete graph with Gaussian weights.

namespace {

MethodAnswer fit_rbf_gcn(const MethodTask& task) {
  Matrix s = gaussian_kernel(*task.problem.features, task.value("gamma"), task.context.threads);
  const int64_t n = s.rows();  // its diagonal is 1: the self-loops
  std::vector<float> factor(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    double degree = 0;
    for (int64_t j = 0; j < n; ++j) degree += s[i][j];
    factor[i] = static_cast<float>(1 / std::sqrt(degree));
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) s[i][j] *= factor[i] * factor[j];
  }
  return fit_two_layers(task,
                        [&s](Tape& tape, Var h) { return linear(tape, Tape::constant(s), h); });
}

}  // namespace

Method rbf_gcn_method() {
  return {.name = "rbf-gcn",
          .paper = "Kipf and Welling, ICLR 2017; graph as in Franceschi et al., ICML 2019",
          .text = "GCN over the complete graph, pairs weighted by a Gaussian of their distance",
          .all_pairs = 1,
          .settings = kernel_settings() + convolution_settings(),
          .fit = fit_rbf_gcn};
}

// The GCN on the graph in which every pair of rows has the same small weight.

namespace {

// Every pair weighs 1 / N, so that D^-1/2 (A + I) D^-1/2 is (I + 11'/N) / 2: a row meets the mean
// of all. With larger weights all rows would become the same.
MethodAnswer fit_dense_gcn(const MethodTask& task) {
  const int64_t n = task.problem.features->rows();
  const Matrix mean(1, n, 1.0f / static_cast<float>(n));
  return fit_two_layers(task, [&mean](Tape& tape, Var h) {
    const Var middle = linear(tape, Tape::constant(mean), h);
    return add_bias(tape, scale(tape, h, 0.5f), scale(tape, middle, 0.5f));
  });
}

}  // namespace

Method dense_gcn_method() {
  return {.name = "dense-gcn",
          .paper = "Kipf and Welling, ICLR 2017; graph as in Franceschi et al., ICML 2019",
          .text = "GCN over the complete graph, every pair with the weight 1/N",
          .settings = convolution_settings(),
          .fit = fit_dense_gcn};
}

// The GCN on a random graph: what a graph without meaning does.

namespace {

// Erdos and Renyi's: as many pairs as make the mean degree, drawn without looking.
Csr random_graph(int64_t rows, double degree, uint64_t seed) {
  const Rng rng{seed, Stream::kNoiseEdges, 0, 0};
  const auto pairs = static_cast<uint64_t>(degree * static_cast<double>(rows) / 2);
  std::vector<std::set<int32_t>> neighbours(static_cast<size_t>(rows));
  for (uint64_t e = 0; e < pairs; ++e) {
    const auto bits = rng.block(e);
    const auto i = static_cast<int32_t>(bits[0] % static_cast<uint64_t>(rows));
    const auto j = static_cast<int32_t>(bits[1] % static_cast<uint64_t>(rows));
    if (i == j) continue;
    neighbours[i].insert(j);
    neighbours[j].insert(i);
  }
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = rows;
  for (const auto& of_row : neighbours) {
    pattern->col.insert(pattern->col.end(), of_row.begin(), of_row.end());
    pattern->row_ptr.push_back(pattern->nnz());
  }
  Csr graph;
  graph.values.assign(static_cast<size_t>(pattern->nnz()), 1.0f);
  graph.pattern = std::move(pattern);
  return graph;
}

}  // namespace

Method sparse_gcn_method() {
  return {.name = "sparse-gcn",
          .paper = "Kipf and Welling, ICLR 2017; graph as in Franceschi et al., ICML 2019",
          .text = "GCN over a random graph (Erdos-Renyi)",
          .settings =
              std::vector<MethodSetting>{{"degree", 5, {2, 5, 10}, "mean neighbours of a row"}} +
              convolution_settings(),
          .fit = [](const MethodTask& task) {
            const Csr graph =
                random_graph(task.problem.features->rows(), task.value("degree"), task.seed);
            return fit_two_layers(task, spread_over(normalised_graph(graph)));
          }};
}

}  // namespace glgnn
