#include "network/fuse.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace glgnn {
namespace {

constexpr int64_t kMembers = 10;
// How much a better score counts: a tenth more accuracy makes a module count twenty times as much.
constexpr double kSharpness = 30;

// Mean over the rows of p_i . q_i.
double agreement(const Matrix& p, const Matrix& q) {
  double sum = 0;
  for (int64_t e = 0; e < p.size(); ++e) sum += double{p.data()[e]} * q.data()[e];
  return sum / static_cast<double>(std::max<int64_t>(1, p.rows()));
}

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

Fusion fuse_modules(const std::vector<ModuleResult>& modules, const Problem& problem,
                    const Config& config) {
  Fusion fusion;
  // Without validation rows there is nothing to choose by: all modules count.
  const int64_t wanted = !config.averaging     ? 1
                         : config.members > 0  ? config.members
                         : problem.val.empty() ? static_cast<int64_t>(modules.size())
                                               : kMembers;
  fusion.members = choose_members(modules, static_cast<size_t>(wanted));
  std::vector<double> scores;
  for (const size_t m : fusion.members) scores.push_back(modules[m].score.value());
  fusion.weights = weights_by_score(scores);
  fusion.p = Matrix(modules.front().p.rows(), modules.front().p.cols());
  for (size_t r = 0; r < fusion.members.size(); ++r) {
    const Matrix& p = modules[fusion.members[r]].p;
    const auto weight = static_cast<float>(fusion.weights[r]);
    for (int64_t e = 0; e < p.size(); ++e) fusion.p.data()[e] += weight * p.data()[e];
  }
  fusion.score = validation_score(fusion.p, problem);
  return fusion;
}

ModuleStart network_start(const std::vector<ModuleResult>& modules, const Fusion& fusion) {
  ModuleStart start{fusion.p, {}};
  start.selection.resize(modules[fusion.members.front()].selection.size(), 0.0f);
  for (size_t r = 0; r < fusion.members.size(); ++r) {
    const std::vector<float>& selection = modules[fusion.members[r]].selection;
    for (size_t f = 0; f < selection.size(); ++f) {
      start.selection[f] += static_cast<float>(fusion.weights[r]) * selection[f];
    }
  }
  return start;
}

Matrix agreement_network(const std::vector<const Matrix*>& members, const Matrix& fused,
                         const std::vector<double>& weights) {
  const auto count = static_cast<int64_t>(members.size());
  Matrix network(count + 1, count + 1);
  for (int64_t a = 0; a < count; ++a) {
    for (int64_t b = 0; b < count; ++b) {
      network[a][b] = static_cast<float>(agreement(*members[a], *members[b]));
    }
    network[a][count] = static_cast<float>(agreement(*members[a], fused));
    network[count][a] = static_cast<float>(weights[a]);
  }
  return network;
}

}  // namespace glgnn
