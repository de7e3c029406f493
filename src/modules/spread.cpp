#include "modules/spread.h"

#include <utility>

#include "modules/module.h"
#include "ops/propagation.h"

namespace glgnn {

Matrix spread_labels(const Csr& graph, const Problem& problem, bool class_mass,
                     const Context& context, double back) {
  Matrix y = one_hot(problem);
  const std::vector<float> weights = training_row_weights(problem);
  for (size_t t = 0; t < problem.train.size(); ++t) {
    const int32_t i = problem.train[t];
    y[i][problem.labels[i]] = weights[t];
  }
  Matrix p(y.rows(), y.cols());
  Propagation(graph, context).run(p, y, kSpreadSteps, back);
  const std::vector<double> shares = class_shares(problem);
  normalise_rows(p, shares, context.threads);
  if (class_mass) match_class_mass(p, shares, context.threads);
  return p;
}

std::vector<Stage> SpreadOptions::run_round(const RoundWork& work) const {
  Matrix p = spread_labels(work.graph(), work.problem, class_mass, work.context, back);
  std::vector<float> selection = work.separation(p);
  return {{.p = std::move(p), .selection = std::move(selection), .own_weight = 0}};
}

void SpreadOptions::describe(ModuleNote& note) const {
  if (class_mass) note.add("class_mass");
  if (back != kSpreadBack) note.add("back", back);
}

bool SpreadOptions::is_left_out(const Config& config) const {
  return !config.spread_heads || (class_mass && !config.class_mass);
}

}  // namespace glgnn
