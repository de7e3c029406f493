#include <glgnn/error.h>
#include <glgnn/explain.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/explanation_set.h"
#include "model/local_row.h"

namespace glgnn {
namespace {

constexpr double kKept = 0.9;  // of the probability

// Edges come first, features after them.
template <class M>
auto& item(M& masks, size_t i) {
  return i < masks.edges.size() ? masks.edges[i] : masks.features[i - masks.edges.size()];
}

size_t size_of(const Masks& masks) { return masks.edges.size() + masks.features.size(); }

std::vector<size_t> descending(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return values[a] > values[b]; });
  return order;
}

// Whether any module hears neighbours.
bool edges_matter(const Importance& importance) {
  return std::ranges::any_of(importance.edges, [](double value) { return value != 0; });
}

// The most important edge and feature lead, whatever their places: a reason names both.
std::vector<size_t> by_importance(const Importance& importance) {
  std::vector<double> all = importance.edges;
  all.insert(all.end(), importance.features.begin(), importance.features.end());
  std::vector<size_t> order = descending(all);
  const size_t edges = importance.edges.size();
  const auto lead = [&](auto&& is_wanted) {
    const auto first = std::find_if(order.begin(), order.end(), is_wanted);
    if (first != order.end()) std::rotate(order.begin(), first, first + 1);
  };
  lead([&](size_t i) { return i >= edges; });
  if (edges_matter(importance)) lead([&](size_t i) { return i < edges; });
  return order;
}

// How many of them lead.
size_t leaders(const Importance& importance) {
  return size_t{edges_matter(importance)} + size_t{!importance.features.empty()};
}

Masks first_of(const LocalRow& row, const std::vector<size_t>& order, size_t size) {
  Masks masks = row.none();
  for (size_t i = 0; i < size; ++i) item(masks, order[i]) = 1.0f;
  return masks;
}

}  // namespace

Judge::Judge(const LocalRow& row) : row_(row) {
  const Matrix p = row.predict({row.all()});
  predicted_ = static_cast<int32_t>(std::max_element(p[0], p[0] + p.cols()) - p[0]);
  probability_ = p[0][predicted_];
}

std::vector<double> Judge::ask(const std::vector<Masks>& masks) const {
  const Matrix p = row_.predict(masks);
  std::vector<double> out;
  for (int64_t r = 0; r < p.rows(); ++r) out.push_back(p[r][predicted_]);
  return out;
}

bool Judge::keeps(const Masks& masks) const {
  const Matrix p = row_.predict({masks});
  const auto top = std::max_element(p[0], p[0] + p.cols()) - p[0];
  return top == predicted_ && p[0][predicted_] >= kKept * probability_;
}

Fidelity Judge::fidelity(const Masks& set) const {
  Masks rest = row_.all();
  double inside = 0;
  for (size_t i = 0; i < size_of(rest); ++i) {
    const float in = item(set, i);
    item(rest, i) = 1.0f - in;
    inside += in;
  }
  const std::vector<double> p = ask({rest, set});
  return {probability_ - p[0], probability_ - p[1],
          size_of(rest) > 0 ? 1 - inside / static_cast<double>(size_of(rest)) : 0};
}

Importance importance_of(const LocalRow& row, const Judge& judge) {
  const Masks all = row.all(), none = row.none();
  std::vector<Masks> asked{none};
  for (size_t i = 0; i < size_of(all); ++i) {
    item(asked.emplace_back(all), i) = 0.0f;
    item(asked.emplace_back(none), i) = 1.0f;
  }
  Importance out;
  const std::vector<double> p = judge.ask(asked);
  for (size_t i = 0; i < size_of(all); ++i) {
    const double lost = judge.probability() - p[1 + 2 * i], won = p[2 + 2 * i] - p[0];
    (i < all.edges.size() ? out.edges : out.features).push_back(0.5 * (lost + won));
  }
  return out;
}

Masks smallest_set(const LocalRow& row, const Judge& judge, const Importance& importance) {
  const std::vector<size_t> order = by_importance(importance);
  // The size is doubled until the prediction is kept, then halved towards the least that keeps it.
  const size_t least = leaders(importance);
  size_t enough = least, too_few = least > 0 ? least - 1 : 0;
  while (enough < order.size() && !judge.keeps(first_of(row, order, enough))) {
    too_few = enough;
    enough = std::min(2 * enough, order.size());
  }
  while (enough - too_few > 1) {
    const size_t middle = (enough + too_few) / 2;
    (judge.keeps(first_of(row, order, middle)) ? enough : too_few) = middle;
  }
  Masks set = first_of(row, order, enough);
  constexpr size_t kMostTried = 64;
  for (size_t i = enough, tried = 0; i > least && tried < kMostTried; --i, ++tried) {
    item(set, order[i - 1]) = 0.0f;
    if (!judge.keeps(set)) item(set, order[i - 1]) = 1.0f;
  }
  return set;
}

Masks most_important(const LocalRow& row, const Importance& importance, size_t edges,
                     size_t features) {
  Masks set = row.none();
  const auto mark = [](std::vector<float>& mask, const std::vector<double>& by, size_t count) {
    const std::vector<size_t> order = descending(by);
    for (size_t i = 0; i < std::min(count, order.size()); ++i) mask[order[i]] = 1.0f;
  };
  mark(set.edges, importance.edges, edges);
  mark(set.features, importance.features, features);
  return set;
}

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
