#include "model/frozen_model.h"

#include <glgnn/error.h>

#include <algorithm>
#include <cmath>

#include "modules/kinds.h"

namespace glgnn {

ModuleLinks links_in_graphs(const std::vector<FittedModule>& modules, int32_t row) {
  ModuleLinks out(modules.size());
  for (size_t m = 0; m < modules.size(); ++m) {
    const Csr& graph = modules[m].graph;
    const Pattern& pattern = *graph.pattern;
    for (int64_t e = pattern.row_ptr[row]; e < pattern.row_ptr[row + 1]; ++e) {
      if (pattern.col[e] == row)
        out[m].self = graph.values[e];
      else
        out[m].links.push_back({pattern.col[e], graph.values[e]});
    }
  }
  return out;
}

Matrix kept_similarity(const RowLinks& links, const Comparison& comparison,
                       const Features& original, const Features& changed) {
  const auto count = static_cast<int64_t>(links.links.size());
  Matrix kept(changed.rows(), count);
  std::vector<double> distance;
  double typical = 0;
  for (const Link& link : links.links) {
    distance.push_back(comparison.distance(original, 0, link.row));
    typical += distance.back() / static_cast<double>(count);
  }
  typical = std::max(typical, 1e-9);
  for (int64_t r = 0; r < changed.rows(); ++r) {
    for (int64_t e = 0; e < count; ++e) {
      const double now = comparison.distance(changed, r, links.links[e].row);
      kept[r][e] = static_cast<float>(std::exp(-std::max(0.0, now - distance[e]) / typical));
    }
  }
  return kept;
}

void weigh_links(std::vector<ModuleLinks>& rows, size_t m, const std::vector<Matrix>& kept) {
  for (size_t r = 0; r < rows.size(); ++r) {
    std::vector<Link>& links = rows[r][m].links;
    for (size_t e = 0; e < links.size(); ++e) {
      float sum = 0;
      for (const Matrix& view : kept) sum += view[static_cast<int64_t>(r)][e];
      links[e].weight *= sum / static_cast<float>(kept.size());
    }
  }
}

std::optional<Compares> compares(const FittedModule& module) {
  const auto* state = module.state ? std::get_if<PoolState>(module.state.get()) : nullptr;
  if (!state) return std::nullopt;
  Compares out{{},
               state->k,
               state->euclidean,
               hears_given(*state),
               hears_given(*state) || hears_alike(*state)};
  for (const View view : state->views) out.views.push_back(view_name(view));
  return out;
}

Csr heard_columns(const Model& model) {
  if (!model.views) return {};
  const auto joined = std::ranges::find(*model.views, View::kJoined,
                                        [](const FittedView& view) { return view.rule.view; });
  return joined == model.views->end() ? Csr{} : joined->rule.heard;
}

FrozenModel::FrozenModel(const Model& model) : model_(model) {
  if (model.features.is_sparse) return;
  const Matrix& x = model.features.dense;
  for (int64_t f = 0; f < x.cols(); ++f) {
    double sum = 0;
    for (int64_t i = 0; i < x.rows(); ++i) sum += x[i][f];
    column_means_.push_back(static_cast<float>(sum / static_cast<double>(x.rows())));
  }
}

std::unique_ptr<FrozenModel> freeze(const Model& model, const Context& context) {
  if (model.features.rows() != model.probabilities.rows()) {
    throw Error(ErrorKind::kUsage, "the model has no data; keep_data() comes after fit()");
  }
  if (std::holds_alternative<PaperState>(*model.modules.front().state)) {
    return freeze_paper(model, context);
  }
  return freeze_pool(model, context);
}

}  // namespace glgnn
