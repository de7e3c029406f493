// Labels that flow over a graph: Zhu and Ghahramani's with the known ones held, Zhou et al.'s that
// gives way.
#include <algorithm>
#include <cmath>

#include "kernels/edges.h"
#include "methods/methods.h"
#include "methods/network.h"
#include "methods/row_neighbours.h"
#include "modules/soft_labels.h"
#include "ops/propagation.h"

namespace glgnn {
namespace {

constexpr int64_t kMostSteps = 1000;
constexpr float kStill = 1e-4f;  // changes below this end it

MethodAnswer fit_propagation(const MethodTask& task) {
  const Problem& problem = task.problem;
  const Csr graph = divided(weighted_graph(task), Divide::kByRow);
  Matrix p = one_hot(problem), next(p.rows(), p.cols());
  float change = 1;
  for (int64_t step = 0; step < kMostSteps && change > kStill; ++step) {
    cpu::spmm_forward(next.view(), graph.pattern->view(), graph.values.data(),
                      std::as_const(p).view(), task.context.threads);
    clamp_training_rows(next, problem);
    change = 0;
    for (int64_t e = 0; e < p.size(); ++e) {
      change = std::max(change, std::fabs(next.data()[e] - p.data()[e]));
    }
    std::swap(p, next);
  }
  normalise_rows(p, class_shares(problem));
  return {std::move(p)};
}

MethodAnswer fit_spreading(const MethodTask& task) {
  const Problem& problem = task.problem;
  const Csr graph = divided(weighted_graph(task), Divide::kByBoth);
  const Matrix start = one_hot(problem);
  Matrix p(start.rows(), start.cols());
  constexpr int64_t kSteps = 200;
  Propagation(graph, task.context).run(p, start, kSteps, 1 - task.value("alpha"));
  normalise_rows(p, class_shares(problem));
  return {std::move(p)};
}

}  // namespace

Method label_propagation_method() {
  return {.name = "label-propagation",
          .paper = "Zhu and Ghahramani, CMU-CALD-02-107, 2002",
          .text = "labels flow over the given graph, or that of nearest rows; known ones are held",
          .settings = weighted_settings(),
          .fit = fit_propagation};
}

Method label_spreading_method() {
  return {.name = "label-spreading",
          .paper = "Zhou et al., NIPS 2004",
          .text = "labels flow over the given graph, or that of nearest rows, and fade",
          .settings =
              std::vector<MethodSetting>{
                  {"alpha", 0.9, {0.5, 0.8, 0.9, 0.99}, "what a row takes from its neighbours"}} +
              weighted_settings(),
          .fit = fit_spreading};
}

}  // namespace glgnn
