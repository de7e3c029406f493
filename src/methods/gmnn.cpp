// Graph Markov networks: one GCN reads features, another the labels of neighbours; each teaches the
// other.
#include <utility>

#include "methods/convolution.h"
#include "methods/methods.h"
#include "methods/network.h"
#include "modules/soft_labels.h"

namespace glgnn {
namespace {

// The answers with the training rows' own labels: what the other network is taught by.
Matrix with_labels(Matrix p, const Problem& problem) {
  clamp_training_rows(p, problem);
  return p;
}

MethodAnswer fit_gmnn(const MethodTask& task) {
  const Problem& problem = task.problem;
  const Spread spread = spread_over(normalised_graph(*problem.graph));
  MethodAnswer q = fit_two_layers(task, spread);  // by features
  for (int64_t round = 0; round < task.count("rounds"); ++round) {
    const Matrix from_q = with_labels(q.probabilities, problem);
    Features labels;
    labels.dense = from_q;
    Problem of_p = problem;
    of_p.features = &labels;
    const MethodAnswer p =
        fit_two_layers({of_p, task.values, task.seed + 1000, task.context}, spread, &from_q);
    const Matrix from_p = with_labels(p.probabilities, problem);
    MethodAnswer next = fit_two_layers(task, spread, &from_p);
    // The last round is taken, as in the paper.
    q = std::move(next);
  }
  return q;
}

}  // namespace

Method gmnn_method() {
  return {.name = "gmnn",
          .paper = "Qu, Bengio and Tang, ICML 2019",
          .text = "a GCN on features and one on neighbours' labels that teach each other",
          .needs_graph = true,
          .settings =
              std::vector<MethodSetting>{{"rounds", 1, {1, 2}, "of teaching in both directions"}} +
              convolution_settings(),
          .fit = fit_gmnn};
}

}  // namespace glgnn
