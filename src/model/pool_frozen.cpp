#include "model/pool_frozen.h"

#include <algorithm>
#include <cmath>

#include "model/weakened_links.h"
#include "modules/feature_products.h"
#include "modules/soft_labels.h"
#include "modules/svd.h"

namespace glgnn {
namespace {

constexpr float kLeast = 1e-12f;  // probabilities below count as this in logits

// x w + b, dense or sparse.
Matrix affine(const Features& x, const Matrix& w, const Matrix& b) {
  Matrix out(x.rows(), w.cols());
  feature_times(out, x, w, 1);
  for (int64_t i = 0; i < out.rows(); ++i) {
    for (int64_t c = 0; c < out.cols(); ++c) out[i][c] += b.data()[c];
  }
  return out;
}

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

}  // namespace

BestFrozen::BestFrozen(const Model& model, const Context& context)
    : FrozenModel(model),
      threads_(context.threads),
      weights_(glgnn::module_weights(model)),
      shares_(static_cast<size_t>(model.probabilities.cols()), 0.0) {
  for (const ModuleForm& form : model.module_forms) {
    for (const std::string& name : form.views) add_view(view_named(name));
    add_view(view_named(form.input));
    add_view(view_named(form.prototype_input));
  }
  for (size_t m = 0; m < model.module_forms.size(); ++m) add_module(m);
  for (int64_t i = 0; i < model.probabilities.rows(); ++i) {
    for (size_t c = 0; c < shares_.size(); ++c) {
      shares_[c] += model.probabilities[i][c] / static_cast<double>(model.probabilities.rows());
    }
  }
}

void BestFrozen::add_view(View view) {
  if (views_.contains(view)) return;
  const Features& raw = model().features;
  if (const int64_t kept = directions_kept(view); kept > 0) {
    const View base = base_view(raw);
    add_view(base);
    Directions found = leading_directions(views_.at(base).fitted(), kept, threads_);
    Features scores;
    scores.dense = std::move(found.scores);
    directions_.emplace(view, std::move(found.directions));
    views_.emplace(view, ComparedView(std::move(scores)));
    return;
  }
  rules_.emplace(view, learn_view(view, raw));
  views_.emplace(view, ComparedView(apply_view(rules_.at(view), raw)));
}

void BestFrozen::add_module(size_t m) {
  const std::string name = "module" + std::to_string(m);
  const auto find = [&](const char* part) { return model().find_parameter(name + part); };
  const ModuleForm& form = model().module_forms[m];
  Module module{.form = &form,
                .p = &model().parameter(name + ".p"),
                .w1 = find(".w1"),
                .b1 = find(".b1"),
                .w2 = find(".w2"),
                .b2 = find(".b2"),
                .prototypes = find(".prototypes"),
                .shares = find(".shares"),
                .landmarks = {},
                .input = view_named(form.input),
                .prototype_input = view_named(form.prototype_input),
                .views = {},
                .comparisons = {},
                .root_degree = {}};
  if (const Matrix* landmarks = find(".landmarks")) {
    module.landmarks = {*landmarks,
                        model().parameter(name + ".landmark_weights"),
                        model().parameter(name + ".landmark_links"),
                        {*module.prototypes, *module.shares}};
  }
  const Matrix& selection = model().parameter(name + ".links");
  for (const std::string& word : form.views) {
    const View view = view_named(word);
    module.views.push_back(view);
    module.comparisons.emplace_back(
        views_.at(view), selection, *module.p,
        ComparisonOptions{.euclidean = form.euclidean && !views_.at(view).fitted().is_sparse,
                          .label_weight = form.label_weight});
  }
  // S_jj = self / degree_j.
  const Csr& graph = model().module_graphs[m];
  const Pattern& pattern = *graph.pattern;
  for (int64_t i = 0; i < pattern.rows; ++i) {
    const auto begin = pattern.col.begin() + pattern.row_ptr[i];
    const auto end = pattern.col.begin() + pattern.row_ptr[i + 1];
    const auto at = std::lower_bound(begin, end, static_cast<int32_t>(i));
    const bool has_loop = at != end && *at == i;
    const float loop = has_loop ? graph.values[at - pattern.col.begin()] : 0.0f;
    module.root_degree.push_back(loop > 0 ? static_cast<float>(std::sqrt(form.self_weight / loop))
                                          : 1.0f);
  }
  modules_.push_back(std::move(module));
}

BestFrozen::RowViews BestFrozen::views_of(const Features& rows) const {
  RowViews out;
  for (const auto& [view, rule] : rules_) out.emplace(view, apply_view(rule, rows));
  for (const auto& [view, directions] : directions_) {
    const Features& base = out.at(base_view(model().features));
    Features reduced;
    reduced.dense = Matrix(rows.rows(), directions.cols());
    feature_times(reduced.dense, base, directions, 1);
    out.emplace(view, std::move(reduced));
  }
  return out;
}

// A vote of a new row counts as one of both sides would.
RowLinks BestFrozen::attach_to(const Module& module, const RowViews& rows, int64_t r,
                               const std::vector<std::vector<int32_t>>& nearest) const {
  RowLinks out;
  for (size_t v = 0; v < module.views.size(); ++v) {
    const Features& view = rows.at(module.views[v]);
    const int64_t kept = static_cast<int64_t>(nearest[v].size()) / view.rows();
    for (int64_t e = 0; e < kept; ++e) {
      const int32_t j = nearest[v][r * kept + e];
      if (view.is_sparse && module.comparisons[v].similarity(view, r, j) <= 0) continue;
      out.links.push_back({j, 1.0f});
    }
  }
  merge(out.links);
  double degree = module.form->self_weight;
  for (const Link& link : out.links) degree += link.weight;
  if (degree <= 0) return out;
  for (Link& link : out.links) {
    link.weight /= static_cast<float>(std::sqrt(degree)) * module.root_degree[link.row];
  }
  out.self = static_cast<float>(module.form->self_weight / degree);
  return out;
}

std::vector<ModuleLinks> BestFrozen::attach_once(const RowViews& rows, int64_t count,
                                                 const Matrix& labels) const {
  std::vector<ModuleLinks> out(count, ModuleLinks(modules_.size()));
  for (size_t m = 0; m < modules_.size(); ++m) {
    const Module& module = modules_[m];
    std::vector<std::vector<int32_t>> nearest;
    for (size_t v = 0; v < module.views.size(); ++v) {
      nearest.push_back(module.comparisons[v].nearest(rows.at(module.views[v]), labels,
                                                      module.form->k, threads_));
    }
    for (int64_t r = 0; r < count; ++r) out[r][m] = attach_to(module, rows, r, nearest);
  }
  return out;
}

// Where soft labels take part in choosing neighbours, the row's own are predicted first without.
std::vector<ModuleLinks> BestFrozen::attach(const Features& rows) const {
  const RowViews views = views_of(rows);
  std::vector<ModuleLinks> links = attach_once(views, rows.rows(), {});
  const bool knows_labels = std::any_of(modules_.begin(), modules_.end(), [](const Module& module) {
    return module.form->label_weight > 0;
  });
  if (!knows_labels) return links;
  return attach_once(views, rows.rows(), predict_views(views, links));
}

ModuleLinks BestFrozen::fitted_links(int32_t row) const {
  return links_in_graphs(model().module_graphs, row);
}

// Of layers and prototypes, and the mean of both where a module has both.
Matrix BestFrozen::own_logits(const Module& module, const RowViews& rows, int64_t count) const {
  if (!module.landmarks.empty()) {
    return landmark_logits(module.landmarks, rows.at(module.input).dense, 1);
  }
  Matrix logits;
  if (module.prototypes) {
    logits = affine(rows.at(module.prototype_input), *module.prototypes, *module.shares);
  }
  if (!module.w1) return logits.empty() ? Matrix(count, module.p->cols()) : logits;
  Features hidden;
  hidden.dense = affine(rows.at(module.input), *module.w1, *module.b1);
  for (int64_t e = 0; e < hidden.dense.size(); ++e) {
    hidden.dense.data()[e] = std::max(hidden.dense.data()[e], 0.0f);
  }
  Matrix layers = affine(hidden, *module.w2, *module.b2);
  if (logits.empty()) return layers;
  for (int64_t e = 0; e < logits.size(); ++e) {
    logits.data()[e] = 0.5f * (logits.data()[e] + layers.data()[e]);
  }
  return logits;
}

// The row's own value beside those of its neighbours; its self-loop is solved for.
Matrix BestFrozen::module_prediction(size_t m, const RowViews& rows,
                                     std::span<const ModuleLinks> links) const {
  const Module& module = modules_[m];
  const auto own = static_cast<float>(module.form->own_weight);
  Matrix z = own_logits(module, rows, static_cast<int64_t>(links.size()));
  const bool has_own = module.prototypes || module.w1;
  if (!module.form->in_logits && has_own) softmax_rows(z);
  for (int64_t r = 0; r < z.rows(); ++r) {
    const RowLinks& mine = links[r][m];
    for (int64_t c = 0; c < z.cols(); ++c) {
      double sum = 0;
      for (const Link& link : mine.links) {
        const float there = (*module.p)[link.row][c];
        sum += link.weight * (module.form->in_logits ? std::log(std::max(there, kLeast)) : there);
      }
      z[r][c] = static_cast<float>((own * z[r][c] + (1 - own) * sum) /
                                   std::max(1e-6, 1.0 - (1 - own) * mine.self));
    }
  }
  if (module.form->in_logits)
    softmax_rows(z);
  else
    normalise_rows(z, shares_);
  return z;
}

Matrix BestFrozen::predict_views(const RowViews& rows, std::span<const ModuleLinks> links) const {
  Matrix p(static_cast<int64_t>(links.size()), model().probabilities.cols());
  for (size_t m = 0; m < modules_.size(); ++m) {
    const Matrix one = module_prediction(m, rows, links);
    const auto weight = static_cast<float>(weights_[m]);
    for (int64_t e = 0; e < p.size(); ++e) p.data()[e] += weight * one.data()[e];
  }
  return p;
}

std::vector<double> BestFrozen::module_probabilities(const Features& row, const ModuleLinks& links,
                                                     int32_t of_class) const {
  const RowViews views = views_of(row);
  std::vector<double> out;
  for (size_t m = 0; m < modules_.size(); ++m) {
    out.push_back(module_prediction(m, views, {&links, 1})[0][of_class]);
  }
  return out;
}

Matrix BestFrozen::predict(const Features& rows, std::span<const ModuleLinks> links) const {
  return predict_views(views_of(rows), links);
}

std::vector<ModuleLinks> BestFrozen::weaken(const ModuleLinks& links, const Features& original,
                                            const Features& changed) const {
  const RowViews before = views_of(original), after = views_of(changed);
  std::vector<ModuleLinks> out(changed.rows(), links);
  for (size_t m = 0; m < modules_.size(); ++m) {
    const Module& module = modules_[m];
    std::vector<Matrix> kept;
    for (size_t v = 0; v < module.views.size(); ++v) {
      const View view = module.views[v];
      kept.push_back(
          kept_similarity(links[m], module.comparisons[v], before.at(view), after.at(view)));
    }
    weigh_links(out, m, kept);
  }
  return out;
}

}  // namespace glgnn
