#include "network/fuse.h"

#include <algorithm>

#include "kernels/edges.h"

namespace glgnn {

Matrix fuse_predictions(const std::vector<ModuleResult>& modules, const NetworkWeights& network) {
  const Matrix& any = modules.front().stage.p;
  Matrix fused(any.rows(), any.cols());
  for (size_t r = 0; r < network.members.size(); ++r) {
    const Matrix& p = modules[network.members[r]].stage.p;
    const auto weight = static_cast<float>(network.weights[r]);
    for (int64_t e = 0; e < p.size(); ++e) fused.data()[e] += weight * p.data()[e];
  }
  return fused;
}

std::vector<float> fuse_selections(const std::vector<ModuleResult>& modules,
                                   const NetworkWeights& network) {
  std::vector<float> fused(modules[network.members.front()].stage.selection.size(), 0.0f);
  for (size_t r = 0; r < network.members.size(); ++r) {
    const std::vector<float>& selection = modules[network.members[r]].stage.selection;
    for (size_t f = 0; f < selection.size(); ++f) {
      fused[f] += static_cast<float>(network.weights[r]) * selection[f];
    }
  }
  return fused;
}

Csr weighted_union(const std::vector<const Csr*>& graphs, const std::vector<float>& weights) {
  const int64_t n = graphs[0]->rows();
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = n;
  Csr out;
  std::vector<float> sum(n, 0.0f);
  std::vector<uint8_t> seen(n, 0);
  std::vector<int32_t> columns;
  for (int64_t i = 0; i < n; ++i) {
    columns.clear();
    for (size_t m = 0; m < graphs.size(); ++m) {
      const Pattern& p = *graphs[m]->pattern;
      for (int64_t e = p.row_ptr[i]; e < p.row_ptr[i + 1]; ++e) {
        if (!seen[p.col[e]]) seen[p.col[e]] = 1, columns.push_back(p.col[e]);
        sum[p.col[e]] += weights[m] * graphs[m]->values[e];
      }
    }
    std::sort(columns.begin(), columns.end());
    for (const int32_t j : columns) {
      pattern->col.push_back(j);
      out.values.push_back(sum[j]);
      sum[j] = 0.0f;
      seen[j] = 0;
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  out.pattern = std::move(pattern);
  return out;
}

Csr fuse_graphs(const std::vector<FittedModule>& modules) {
  std::vector<const Csr*> graphs;
  std::vector<float> weights;
  for (const FittedModule& module : modules) {
    graphs.push_back(&module.graph);
    weights.push_back(module.weight);
  }
  Csr fused = weighted_union(graphs, weights);
  ref::edge_softmax_forward(fused.values.data(), fused.values.data(), fused.pattern->row_ptr.data(),
                            fused.rows());
  return fused;
}

}  // namespace glgnn
