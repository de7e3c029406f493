#include "network/relation.h"

#include <algorithm>
#include <numeric>

#include "network/fuse.h"

namespace glgnn {
namespace {

// Mean over the rows of p_i . q_i.
double agreement(const Matrix& p, const Matrix& q) {
  double sum = 0;
  for (int64_t e = 0; e < p.size(); ++e) sum += double{p.data()[e]} * q.data()[e];
  return sum / static_cast<double>(std::max<int64_t>(1, p.rows()));
}

}  // namespace

NetworkWeights weigh_by_agreement(NetworkWeights network,
                                  const std::vector<ModuleResult>& modules) {
  const Matrix together = fuse_predictions(modules, network);
  for (size_t r = 0; r < network.members.size(); ++r) {
    network.weights[r] *= agreement(modules[network.members[r]].stage.p, together);
  }
  const double sum = std::accumulate(network.weights.begin(), network.weights.end(), 0.0);
  for (double& weight : network.weights) weight /= sum;
  return network;
}

Matrix relation_of(const std::vector<FittedModule>& modules, const Matrix& fused) {
  const auto count = static_cast<int64_t>(modules.size());
  Matrix relation(count + 1, count + 1);
  for (int64_t a = 0; a < count; ++a) {
    const Matrix& p = modules[a].probabilities;
    for (int64_t b = 0; b < count; ++b) {
      relation[a][b] = static_cast<float>(agreement(p, modules[b].probabilities));
    }
    relation[a][count] = static_cast<float>(agreement(p, fused));
    relation[count][a] = modules[a].weight;
  }
  return relation;
}

}  // namespace glgnn
