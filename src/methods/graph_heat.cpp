// GraphHeat: two layers over the heat kernel of the given graph.
#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/convolution.h"
#include "methods/methods.h"
#include "methods/network.h"
#include "methods/row_neighbours.h"

namespace glgnn {
namespace {

constexpr int64_t kTerms = 12;  // of exp's series

// Row i of exp(-s L) = e^-s sum_t s^t / t! S^t, L = I - S, one row at a time; numbers below `least`
// are left out. Isolated rows keep their own.
Csr heat_kernel(const Csr& graph, double s, double least) {
  const Csr step = divided(graph, Divide::kByBoth);
  const Pattern& edges = *step.pattern;
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = graph.rows();
  Csr heat;
  std::vector<double> sum(static_cast<size_t>(graph.rows()), 0.0), now = sum, next = sum;
  std::vector<int32_t> reached;
  std::vector<bool> is_reached(sum.size(), false);
  for (int64_t i = 0; i < graph.rows(); ++i) {
    const auto reach = [&](int32_t j) {
      if (is_reached[j]) return;
      is_reached[j] = true;
      reached.push_back(j);
    };
    reach(static_cast<int32_t>(i));
    now[i] = 1;
    double factor = std::exp(-s);
    for (int64_t t = 0;; factor *= s / static_cast<double>(++t)) {
      for (const int32_t j : reached) sum[j] += factor * now[j];
      if (t == kTerms) break;
      const size_t known = reached.size();
      for (size_t r = 0; r < known; ++r) {
        const int32_t j = reached[r];
        if (now[j] * factor < 0.01 * least) continue;  // what it passes on would not be kept
        for (int64_t e = edges.row_ptr[j]; e < edges.row_ptr[j + 1]; ++e) {
          reach(edges.col[e]);
          next[edges.col[e]] += now[j] * step.values[e];
        }
      }
      for (const int32_t j : reached) now[j] = std::exchange(next[j], 0.0);
    }
    std::sort(reached.begin(), reached.end());
    for (const int32_t j : reached) {
      if (sum[j] >= least || j == i) {
        pattern->col.push_back(j);
        heat.values.push_back(static_cast<float>(sum[j]));
      }
      sum[j] = now[j] = 0;
      is_reached[j] = false;
    }
    reached.clear();
    pattern->row_ptr.push_back(pattern->nnz());
  }
  heat.pattern = std::move(pattern);
  return heat;
}

}  // namespace

Method graph_heat_method() {
  return {.name = "graph-heat",
          .paper = "Xu et al., IJCAI 2019",
          .text = "two layers over the heat kernel exp(-s L) of the given graph",
          .needs_graph = true,
          .settings =
              std::vector<MethodSetting>{{"time", 3.5, {1, 2, 3.5, 5}, "s: how far heat flows"},
                                         {"least", 1e-4, {1e-5, 1e-4, 1e-3}, "heat that is kept"}} +
              convolution_settings(),
          .fit = [](const MethodTask& task) {
            return fit_two_layers(task,
                                  spread_over(heat_kernel(*task.problem.graph, task.value("time"),
                                                          task.value("least"))));
          }};
}

}  // namespace glgnn
