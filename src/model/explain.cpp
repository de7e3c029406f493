#include <glgnn/error.h>
#include <glgnn/explain.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/explanation_set.h"
#include "model/local_row.h"

namespace glgnn {
namespace {

template <class Item>
void scale_weights(std::vector<Item>& items) {
  double most = 0;
  for (const Item& item : items) most = std::max(most, std::abs(item.weight));
  for (Item& item : items) item.weight = most > 0 ? item.weight / most : 0;
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.weight > b.weight; });
}

Explanation explain_local(const LocalRow& local) {
  const Judge judge(local);
  const Importance importance = importance_of(local, judge);
  const Masks chosen = smallest_set(local, judge, importance);

  Explanation out;
  out.predicted = judge.predicted();
  out.probability = judge.probability();
  for (size_t e = 0; e < chosen.edges.size(); ++e) {
    if (chosen.edges[e] == 0) continue;
    out.edges.push_back({local.neighbours()[e], local.strongest_module(e), importance.edges[e]});
  }
  for (size_t f = 0; f < chosen.features.size(); ++f) {
    if (chosen.features[f] == 0) continue;
    out.features.push_back({local.features()[f], local.value(f), importance.features[f]});
  }
  scale_weights(out.edges);
  scale_weights(out.features);
  out.modules = local.module_parts(out.predicted);
  const Fidelity fidelity = judge.fidelity(chosen);
  out.fidelity_plus = fidelity.plus;
  out.fidelity_minus = fidelity.minus;
  out.sparsity = fidelity.sparsity;
  return out;
}

}  // namespace

Explainer::Explainer(const Model& model, const Context& context)
    : frozen_(freeze(model, context)) {}
Explainer::~Explainer() = default;
Explainer::Explainer(Explainer&&) noexcept = default;
Explainer& Explainer::operator=(Explainer&&) noexcept = default;

Explanation Explainer::explain(int32_t row) const {
  const int64_t n = frozen_->model().probabilities.rows();
  if (row < 0 || row >= n) {
    throw Error(ErrorKind::kUsage, "row " + std::to_string(row) + ": the model has rows 0 to " +
                                       std::to_string(n - 1));
  }
  Explanation out = explain_local(LocalRow(*frozen_, row));
  out.row = row;
  return out;
}

Explanation Explainer::explain(const Features& row) const {
  const Features& fitted = frozen_->model().features;
  if (row.rows() != 1 || row.cols() != fitted.cols() || row.is_sparse != fitted.is_sparse) {
    throw Error(ErrorKind::kUsage, "a new row to explain: found " + std::to_string(row.rows()) +
                                       " x " + std::to_string(row.cols()) + ", expected 1 x " +
                                       std::to_string(fitted.cols()) +
                                       " numbers in the form of the fitted rows");
  }
  Explanation out = explain_local(LocalRow(*frozen_, row));
  out.row = -1;
  return out;
}

}  // namespace glgnn
