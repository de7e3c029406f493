#include "network/weights.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "network/fuse.h"

namespace glgnn {
namespace {

// So many that chance evens out; docs/results.md says what joining is worth (`averaging`).
constexpr int64_t kMembers = 10;
// How much a better score counts: a tenth more accuracy makes a module count twenty times as much,
// so that one that is clearly better speaks almost alone, and equals are averaged.
constexpr double kSharpness = 30;

// The best by score; of equals the first.
std::vector<size_t> choose_members(const std::vector<ModuleResult>& modules, size_t wanted) {
  std::vector<size_t> members(modules.size());
  std::iota(members.begin(), members.end(), size_t{0});
  std::stable_sort(members.begin(), members.end(), [&](size_t a, size_t b) {
    return modules[a].score.value() > modules[b].score.value();
  });
  members.resize(std::min(members.size(), wanted));
  return members;
}

std::vector<double> groups_alike(const std::vector<ModuleResult>& modules,
                                 const std::vector<size_t>& members) {
  std::map<int32_t, double> size;
  for (const size_t m : members) ++size[modules[m].spec.group];
  const auto groups = static_cast<double>(size.size());
  std::vector<double> weights;
  for (const size_t m : members) weights.push_back(1 / (groups * size[modules[m].spec.group]));
  return weights;
}

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

std::vector<double> weights_by_score(const std::vector<double>& scores) {
  std::vector<double> weights;
  double sum = 0;
  for (const double score : scores) {
    weights.push_back(std::exp(kSharpness * (score - scores.front())));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

NetworkWeights weights_by_validation(const std::vector<ModuleResult>& modules,
                                     const Problem& problem, const Config& config) {
  // Without validation rows there is nothing to choose by: all modules count, each group alike.
  const int64_t wanted = !config.averaging     ? 1
                         : config.members > 0  ? config.members
                         : problem.val.empty() ? static_cast<int64_t>(modules.size())
                                               : kMembers;
  NetworkWeights network{choose_members(modules, static_cast<size_t>(wanted)), {}};
  if (problem.val.empty()) {
    network.weights = groups_alike(modules, network.members);
    return network;
  }
  std::vector<double> scores;
  for (const size_t m : network.members) scores.push_back(modules[m].score.value());
  network.weights = weights_by_score(scores);
  return network;
}

NetworkWeights weigh_by_agreement(NetworkWeights network, const std::vector<ModuleResult>& modules,
                                  int threads) {
  const Matrix together = fuse_predictions(modules, network, threads);
  parallel_for(std::ssize(network.members), threads, 1, [&](int64_t r) {
    network.weights[r] *= agreement(modules[network.members[r]].stage.p, together);
  });
  const double sum = std::accumulate(network.weights.begin(), network.weights.end(), 0.0);
  for (double& weight : network.weights) weight /= sum;
  return network;
}

Matrix relation_of(const std::vector<FittedModule>& modules, const Matrix& fused, int threads) {
  const auto count = static_cast<int64_t>(modules.size());
  Matrix relation(count + 1, count + 1);
  // Each pair once: a agrees with b as b with a.
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t a = 0; a < count; ++a) {
    for (int64_t b = a; b <= count; ++b) pairs.emplace_back(a, b);
  }
  float* const found = relation.data();
  parallel_for(std::ssize(pairs), threads, 1, [&](int64_t at) {
    const auto [a, b] = pairs[at];
    const Matrix& other = b == count ? fused : modules[b].probabilities;
    const auto alike = static_cast<float>(agreement(modules[a].probabilities, other));
    found[a * (count + 1) + b] = alike;
    if (b < count) found[b * (count + 1) + a] = alike;
  });
  for (int64_t a = 0; a < count; ++a) relation[count][a] = modules[a].weight;
  return relation;
}

}  // namespace glgnn
