#include "methods/row_neighbours.h"

#include <algorithm>
#include <cmath>

#include "methods/kernel_matrix.h"
#include "methods/network.h"
#include "modules/row_graph.h"

namespace glgnn {

std::vector<MethodSetting> neighbour_settings() {
  return {{"k", 10, {5, 10, 15, 20}, "neighbours of each row"},
          {"cosine", 1, {0, 1}, "1: nearest by angle (sparse rows always); 0: by distance"}};
}

Csr neighbour_graph(const MethodTask& task, double self_weight) {
  const RowGraphOptions options{.k = std::min(task.count("k"), task.problem.features->rows() - 1),
                                .euclidean = task.value("cosine") == 0,
                                .self_weight = self_weight};
  return build_row_graph({.views = {task.problem.features}}, options, task.context);
}

std::vector<MethodSetting> weighted_settings() { return neighbour_settings() + kernel_settings(); }

Csr weighted_graph(const MethodTask& task) {
  if (task.problem.graph) return *task.problem.graph;
  const Features& x = *task.problem.features;
  Csr graph = neighbour_graph(task, 0);
  const Matrix apart = pair_distances(x, *graph.pattern);
  for (int64_t e = 0; e < graph.nnz(); ++e) {
    // Far rows keep a little: a row without any weight would hear nothing.
    const double near = std::exp(-task.value("gamma") * apart.data()[e]);
    graph.values[e] = static_cast<float>(std::max(1e-6, near));
  }
  return graph;
}

Csr divided(Csr graph, Divide how) {
  const Pattern& pattern = *graph.pattern;
  std::vector<double> degree(static_cast<size_t>(graph.rows()), 0.0);
  const auto each = [&](auto&& visit) {
    for (int64_t i = 0; i < pattern.rows; ++i) {
      for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
        visit(i, pattern.col[e], graph.values[e]);
      }
    }
  };
  each([&](int64_t i, int64_t, float value) { degree[i] += value; });
  each([&](int64_t i, int64_t j, float& value) {
    const double by = how == Divide::kByRow ? degree[i] : std::sqrt(degree[i] * degree[j]);
    value = by > 0 ? static_cast<float>(value / by) : 0.0f;
  });
  return graph;
}

}  // namespace glgnn
