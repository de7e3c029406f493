#include "network/relation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "network/fuse.h"

namespace glgnn {
namespace {

// Mean over the rows of the cosine between p_i and q_i: who is more sure does not agree more.
double agreement(const Matrix& p, const Matrix& q) {
  double sum = 0;
  for (int64_t i = 0; i < p.rows(); ++i) {
    double both = 0, of_p = 0, of_q = 0;
    for (int64_t c = 0; c < p.cols(); ++c) {
      both += double{p[i][c]} * q[i][c];
      of_p += double{p[i][c]} * p[i][c];
      of_q += double{q[i][c]} * q[i][c];
    }
    if (both > 0) sum += both / std::sqrt(of_p * of_q);
  }
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
