#include "network/weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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
  // Without validation rows there is nothing to choose by: all modules count.
  const int64_t wanted = !config.averaging     ? 1
                         : config.members > 0  ? config.members
                         : problem.val.empty() ? static_cast<int64_t>(modules.size())
                                               : kMembers;
  NetworkWeights network{choose_members(modules, static_cast<size_t>(wanted)), {}};
  std::vector<double> scores;
  for (const size_t m : network.members) scores.push_back(modules[m].score.value());
  network.weights = weights_by_score(scores);
  return network;
}

}  // namespace glgnn
