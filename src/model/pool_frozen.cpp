// A model of a pool of modules, as new rows meet it.

#include <algorithm>
#include <cmath>
#include <map>

#include "model/frozen_model.h"
#include "modules/comparison.h"
#include "modules/module.h"
#include "modules/soft_labels.h"

namespace glgnn {
namespace {

constexpr float kLeast = 1e-12f;  // probabilities below count as this in logits

void merge(std::vector<Link>& links) {
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.row < b.row; });
  size_t kept = 0;
  for (size_t e = 0; e < links.size(); ++e) {
    if (kept > 0 && links[kept - 1].row == links[e].row)
      links[kept - 1].weight += links[e].weight;
    else
      links[kept++] = links[e];
  }
  links.resize(kept);
}

class PoolFrozen : public FrozenModel {
 public:
  PoolFrozen(const Model& model, const Context& context);

  std::vector<ModuleLinks> attach(const Features& rows) const override;
  ModuleLinks fitted_links(int32_t row) const override;
  Matrix predict(const Features& rows, std::span<const ModuleLinks> links) const override;
  std::vector<ModuleLinks> weaken(const ModuleLinks& links, const Features& original,
                                  const Features& changed) const override;
  std::vector<double> module_probabilities(const Features& row, const ModuleLinks& links,
                                           int32_t of_class) const override;
  const std::vector<double>& module_weights() const override { return weights_; }

 private:
  struct Module {
    const FittedModule* fitted;
    const PoolState* state;
    std::vector<Comparison> comparisons;  // one for each view; none where it has no links
    std::vector<float> root_degree;       // of the fitted rows
  };

  // Links to rows that are alike are left out where they are not heard, unless none is: then they
  // tell which rows are alike.
  bool has_links(const PoolState& state) const { return !any_hears_alike_ || hears_alike(state); }
  void add_module(const FittedModule& fitted);
  void hear_given(RowLinks& mine, size_t m, int32_t row) const;
  RowLinks attach_to(const Module& module, const RowViews& rows, int64_t r,
                     const std::vector<std::vector<int32_t>>& nearest) const;
  std::vector<ModuleLinks> attach_once(const RowViews& rows, int64_t count,
                                       const Matrix& labels) const;
  Matrix module_prediction(size_t m, const RowViews& rows,
                           std::span<const ModuleLinks> links) const;
  Matrix predict_views(const RowViews& rows, std::span<const ModuleLinks> links) const;

  Context context_;
  std::map<View, ComparedView> views_;  // stays where it is: comparisons point into it
  std::vector<Module> modules_;
  std::vector<double> weights_;
  bool any_hears_alike_ = false, any_hears_given_ = false;
  std::vector<double> shares_;  // mean prediction: of rows that hang on nothing
};

}  // namespace

PoolFrozen::PoolFrozen(const Model& model, const Context& context)
    : FrozenModel(model),
      context_(context),
      weights_(glgnn::module_weights(model)),
      shares_(static_cast<size_t>(model.probabilities.cols()), 0.0) {
  for (const FittedView& view : *model.views) {
    views_.emplace(view.rule.view, ComparedView(view.of_fitted(model.features)));
  }
  for (const FittedModule& module : model.modules) {
    const PoolState& state = std::get<PoolState>(*module.state);
    any_hears_alike_ |= hears_alike(state);
    any_hears_given_ |= hears_given(state);
  }
  for (const FittedModule& module : model.modules) add_module(module);
  for (int64_t i = 0; i < model.probabilities.rows(); ++i) {
    for (size_t c = 0; c < shares_.size(); ++c) {
      shares_[c] += model.probabilities[i][c] / static_cast<double>(model.probabilities.rows());
    }
  }
}

void PoolFrozen::add_module(const FittedModule& fitted) {
  const PoolState& state = std::get<PoolState>(*fitted.state);
  Module module{.fitted = &fitted, .state = &state, .comparisons = {}, .root_degree = {}};
  const bool is_compared = has_links(state);
  if (!is_compared && !hears_given(state)) {
    modules_.push_back(std::move(module));
    return;
  }
  for (const View view : is_compared ? state.views : std::vector<View>{}) {
    const ComparedView& compared = views_.at(view);
    module.comparisons.emplace_back(
        compared, state.links, fitted.probabilities,
        ComparisonOptions{.euclidean = state.euclidean && !compared.fitted().is_sparse,
                          .label_weight = state.label_weight},
        context_);
  }
  // S_jj = self / degree_j.
  const Csr& graph = fitted.graph;
  const Pattern& pattern = *graph.pattern;
  for (int64_t i = 0; i < pattern.rows; ++i) {
    const auto begin = pattern.col.begin() + pattern.row_ptr[i];
    const auto end = pattern.col.begin() + pattern.row_ptr[i + 1];
    const auto at = std::lower_bound(begin, end, static_cast<int32_t>(i));
    const bool has_loop = at != end && *at == i;
    const float loop = has_loop ? graph.values[at - pattern.col.begin()] : 0.0f;
    module.root_degree.push_back(loop > 0 ? static_cast<float>(std::sqrt(state.self_weight / loop))
                                          : 1.0f);
  }
  modules_.push_back(std::move(module));
}

// Fitted rows share an edge in two halves, one from each side; a new row has only its own side, so
// its vote counts in full.
RowLinks PoolFrozen::attach_to(const Module& module, const RowViews& rows, int64_t r,
                               const std::vector<std::vector<int32_t>>& nearest) const {
  RowLinks out;
  for (size_t v = 0; v < module.state->views.size(); ++v) {
    const Features& view = rows.at(module.state->views[v]);
    const int64_t kept = static_cast<int64_t>(nearest[v].size()) / view.rows();
    for (int64_t e = 0; e < kept; ++e) {
      const int32_t j = nearest[v][r * kept + e];
      if (view.is_sparse && module.comparisons[v].similarity(view, r, j) <= 0) continue;
      out.links.push_back({j, 1.0f});
    }
  }
  merge(out.links);
  double degree = module.state->self_weight;
  for (const Link& link : out.links) degree += link.weight;
  if (degree <= 0) return out;
  for (Link& link : out.links) {
    link.weight /= static_cast<float>(std::sqrt(degree)) * module.root_degree[link.row];
  }
  out.self = static_cast<float>(module.state->self_weight / degree);
  return out;
}

std::vector<ModuleLinks> PoolFrozen::attach_once(const RowViews& rows, int64_t count,
                                                 const Matrix& labels) const {
  std::vector<ModuleLinks> out(count, ModuleLinks(modules_.size()));
  for (size_t m = 0; m < modules_.size(); ++m) {
    const Module& module = modules_[m];
    if (!has_links(*module.state)) continue;
    std::vector<std::vector<int32_t>> nearest;
    for (size_t v = 0; v < module.state->views.size(); ++v) {
      nearest.push_back(
          module.comparisons[v].nearest(rows.at(module.state->views[v]), labels, module.state->k));
    }
    for (int64_t r = 0; r < count; ++r) out[r][m] = attach_to(module, rows, r, nearest);
  }
  return out;
}

// Where soft labels take part in choosing neighbours, the row's own are predicted first without.
std::vector<ModuleLinks> PoolFrozen::attach(const Features& rows) const {
  const RowViews views = model().views->of_rows(rows);
  std::vector<ModuleLinks> links = attach_once(views, rows.rows(), {});
  const bool knows_labels =
      std::any_of(modules_.begin(), modules_.end(), [&](const Module& module) {
        return has_links(*module.state) && module.state->label_weight > 0;
      });
  if (!knows_labels) return links;
  return attach_once(views, rows.rows(), predict_views(views, links));
}

ModuleLinks PoolFrozen::fitted_links(int32_t row) const {
  ModuleLinks links = links_in_graphs(model().modules, row);
  for (size_t m = 0; m < links.size(); ++m) {
    const PoolState& state = *modules_[m].state;
    if (hears_given(state))
      hear_given(links[m], m, row);
    else if (any_hears_given_ ? !hears_alike(state) : !has_links(state))
      links[m] = {};
  }
  return links;
}

// The graph has S; here a link counts as the part that its edge counts as.
void PoolFrozen::hear_given(RowLinks& mine, size_t m, int32_t row) const {
  const FittedModule& fitted = *modules_[m].fitted;
  std::vector<int32_t> neighbours;
  std::vector<float> parts;
  for (Link& link : mine.links) {
    link.weight = std::clamp(
        link.weight * modules_[m].root_degree[row] * modules_[m].root_degree[link.row], 0.0f, 1.0f);
    neighbours.push_back(link.row);
    parts.push_back(link.weight);
  }
  mine.said = std::make_shared<const Matrix>(
      said_by_neighbours(fitted.probabilities, modules_[m].state->mixing, row, neighbours, parts));
}

// The row's own value beside those of its neighbours; its self-loop is solved for.
Matrix PoolFrozen::module_prediction(size_t m, const RowViews& rows,
                                     std::span<const ModuleLinks> links) const {
  const PoolState& state = *modules_[m].state;
  const Matrix& fitted = modules_[m].fitted->probabilities;
  const auto own = static_cast<float>(state.own_weight);
  Matrix z;
  bool in_logits = false;
  std::visit([&](const auto& kind) { z = kind.logits(rows), in_logits = kind.kInLogits; },
             state.kind);
  if (z.empty())
    z = Matrix(static_cast<int64_t>(links.size()), fitted.cols());
  else if (!in_logits)
    softmax_rows(z);
  for (int64_t r = 0; r < z.rows(); ++r) {
    const RowLinks& mine = links[r][m];
    if (mine.said) continue;  // below
    for (int64_t c = 0; c < z.cols(); ++c) {
      double sum = 0;
      for (const Link& link : mine.links) {
        const float there = fitted[link.row][c];
        sum += link.weight * (in_logits ? std::log(std::max(there, kLeast)) : there);
      }
      z[r][c] = static_cast<float>((own * z[r][c] + (1 - own) * sum) /
                                   std::max(1e-6, 1.0 - (1 - own) * mine.self));
    }
  }
  if (in_logits)
    softmax_rows(z);
  else
    normalise_rows(z, shares_);
  for (int64_t r = 0; r < z.rows(); ++r) {
    const RowLinks& mine = links[r][m];
    if (!mine.said) continue;
    std::vector<float> parts;
    for (const Link& link : mine.links) parts.push_back(link.weight);
    hear(z[r], *mine.said, parts);
  }
  return z;
}

Matrix PoolFrozen::predict_views(const RowViews& rows, std::span<const ModuleLinks> links) const {
  Matrix p(static_cast<int64_t>(links.size()), model().probabilities.cols());
  for (size_t m = 0; m < modules_.size(); ++m) {
    const Matrix one = module_prediction(m, rows, links);
    const auto weight = static_cast<float>(weights_[m]);
    for (int64_t e = 0; e < p.size(); ++e) p.data()[e] += weight * one.data()[e];
  }
  return p;
}

std::vector<double> PoolFrozen::module_probabilities(const Features& row, const ModuleLinks& links,
                                                     int32_t of_class) const {
  const RowViews views = model().views->of_rows(row);
  std::vector<double> out;
  for (size_t m = 0; m < modules_.size(); ++m) {
    out.push_back(module_prediction(m, views, {&links, 1})[0][of_class]);
  }
  return out;
}

Matrix PoolFrozen::predict(const Features& rows, std::span<const ModuleLinks> links) const {
  return predict_views(model().views->of_rows(rows), links);
}

std::vector<ModuleLinks> PoolFrozen::weaken(const ModuleLinks& links, const Features& original,
                                            const Features& changed) const {
  const RowViews before = model().views->of_rows(original), after = model().views->of_rows(changed);
  std::vector<ModuleLinks> out(changed.rows(), links);
  for (size_t m = 0; m < modules_.size(); ++m) {
    const Module& module = modules_[m];
    if (links[m].links.empty() || links[m].said) continue;
    std::vector<Matrix> kept;
    for (size_t v = 0; v < module.state->views.size(); ++v) {
      const View view = module.state->views[v];
      kept.push_back(
          kept_similarity(links[m], module.comparisons[v], before.at(view), after.at(view)));
    }
    weigh_links(out, m, kept);
  }
  return out;
}

int64_t prior_cells(const Model& model) {
  int64_t cells = 0;
  for (const FittedModule& module : model.modules) {
    const auto* pool = std::get_if<PoolState>(module.state.get());
    const auto* prior = pool ? std::get_if<PriorState>(&pool->kind) : nullptr;
    if (prior) cells += std::ssize(prior->columns) + 1;
  }
  return cells;
}

std::unique_ptr<FrozenModel> freeze_pool(const Model& model, const Context& context) {
  return std::make_unique<PoolFrozen>(model, context);
}

}  // namespace glgnn
