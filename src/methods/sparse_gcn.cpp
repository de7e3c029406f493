// The GCN on a random graph: what a graph without meaning does.
#include <algorithm>
#include <set>

#include "methods/convolution.h"
#include "methods/methods.h"
#include "methods/network.h"

namespace glgnn {
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
