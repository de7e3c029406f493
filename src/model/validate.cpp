#include "core/validate.h"

#include <glgnn/error.h>

#include <array>
#include <limits>

#include "model/walk.h"
#include "modules/module.h"

namespace glgnn {
namespace {

constexpr int64_t kMostRows = std::numeric_limits<int32_t>::max();
constexpr double kLargest = std::numeric_limits<float>::max();
constexpr double kRounding = 1e-3;

template <class List>
int64_t count_of(const List& list) {
  return static_cast<int64_t>(list.size());
}

int64_t feature_count(const TableColumn& column) {
  if (!column.is_used()) return 0;
  const bool has_levels = column.kind == ColumnKind::kCategorical || column.has_words();
  return (has_levels ? count_of(column.levels) + column.other : int64_t{column.varies}) +
         column.indicator;
}

void check_data(const Model& model) {
  const int64_t n = model.probabilities.rows(), classes = model.probabilities.cols();
  check_range("rows", n, 1, kMostRows);
  check_range("classes", classes, 1, kMostRows);
  check_probabilities("probabilities", model.probabilities, n, classes);
  check_count("names of classes", count_of(model.class_names), classes);
  check_range("features", count_of(model.feature_names), 0, kMostRows);
  if (!model.row_ids.empty()) check_count("names of rows", count_of(model.row_ids), n);
  check_count("labels", count_of(model.labels), n);
  check_indices("labels", model.labels, -1, classes - 1);
  check_indices("training rows", model.train, 0, n - 1);
  check_indices("validation rows", model.val, 0, n - 1);
  check_indices("test rows", model.test, 0, n - 1);
  if (model.features.is_sparse) {
    check_csr("features", model.features.sparse, n, count_of(model.feature_names));
  } else {
    check_matrix("features", model.features.dense, n, count_of(model.feature_names));
  }
  const std::vector<float>& sizes = model.features.row_size;
  if (!sizes.empty()) check_count("sizes of rows", count_of(sizes), n);
  check_finite("sizes of rows", sizes);
}

void check_judgement(const Model& model) {
  const int64_t n = model.probabilities.rows(), classes = model.probabilities.cols();
  if (!model.held_back.empty()) check_count("rows held back", count_of(model.held_back), n);
  check_indices("rows held back", model.held_back, -1, classes - 1);
  check_count("rows held back, certainty", count_of(model.held_back_certainty),
              count_of(model.held_back));
  for (const float certainty : model.held_back_certainty) {
    check_number("rows held back, certainty", certainty, 0, 1 + kRounding);
  }
  if (!model.class_factors.empty()) {
    check_count("shares of the classes", count_of(model.class_factors), classes);
    check_finite("shares of the classes", model.class_factors);
  }
  const Estimate& estimate = model.estimate;
  check_range("estimate, rows", estimate.rows, 0, kMostRows);
  check_range("estimate, largest class", estimate.majority_class, estimate.rows > 0 ? 0 : -1,
              classes - 1);
  check_finite("estimate", std::array{estimate.accuracy, estimate.low, estimate.high,
                                      estimate.majority_share, estimate.baseline});
  check_range("folds", model.folds, 1, kMostRows);
  check_range("best epoch", model.best_epoch, 1, count_of(model.history));
}

// Features of 0 and 1 are found by counting, and names are made of the column's: both must be those
// of the model.
void check_plan(const Model& model) {
  const TablePlan& plan = model.plan;
  const int64_t features = count_of(model.feature_names);
  if (!plan.feature_names.empty() || !plan.columns.empty()) {
    check_count("columns, features", count_of(plan.feature_names), features);
  }
  size_t f = 0;
  for (const TableColumn& column : plan.columns) {
    const std::string what = "column \"" + column.name.substr(0, 80) + "\"";
    check_enum(what + ", kind", column.kind, ColumnKind::kDropped);
    check_enum(what + ", order of dates", column.order, DateOrder::kMonth);
    check_count(what + ", counts of levels", count_of(column.level_counts),
                count_of(column.levels));
    check_finite(what, std::array{column.lowest, column.median, column.highest, column.offset});
    for (int64_t left = feature_count(column); left > 0; --left, ++f) {
      const bool is_its =
          f < plan.feature_names.size() && plan.feature_names[f].starts_with(column.name);
      check_count(what + ", features of its name", feature_count(column) - (is_its ? 0 : left),
                  feature_count(column));
    }
  }
  if (!plan.columns.empty()) check_count("features of columns", static_cast<int64_t>(f), features);
  const FeatureScale& scale = plan.scale;
  check_enum("scaling", scale.scaling, Scaling::kTfidf);
  check_count("scaling, factors", count_of(scale.factor), scale.factor.empty() ? 0 : features);
  check_count("scaling, shifts", count_of(scale.shift), count_of(scale.factor));
  check_finite("scaling", scale.factor);
  check_finite("scaling", scale.shift);
}

void check_state(const std::string& what, const PoolState& state, const StateShape& fitted) {
  for (const View view : state.views) fitted.columns(what, view);
  check_range(what + ", neighbours", state.k, 0, kMostRows);
  check_number(what + ", self-loops", state.self_weight, 0, kLargest);
  check_number(what + ", labels", state.label_weight, 0, kLargest);
  check_number(what + ", own weight", state.own_weight, 0, 1);
  check_finite(what + ", weights of features", state.links);
  check_mixing(what + ", classes of edges", state.mixing, fitted.classes);
  std::visit([&](const auto& kind) { kind.check(what, fitted); }, state.kind);
}

void check_state(const std::string& what, const PaperState& state, const Model& model) {
  const int64_t hidden = state.w1.cols(), classes = model.probabilities.cols();
  check_matrix(what + ", first weights", state.w1, count_of(model.feature_names), hidden);
  check_matrix(what + ", second weights", state.w2, hidden, classes);
  check_matrix(what + ", weights of hops", state.v, 1, model.config.hops + 1);
  if (!state.b1.empty()) check_matrix(what + ", first bias", state.b1, 1, hidden);
  if (!state.b2.empty()) check_matrix(what + ", second bias", state.b2, 1, classes);
}

void check_module(const std::string& what, const FittedModule& module, const Model& model) {
  const int64_t n = model.probabilities.rows();
  check_csr(what + ", graph", module.graph, n, n);
  check_count(what + ", selection", count_of(module.selection), count_of(model.feature_names));
  check_finite(what + ", selection", module.selection);
  check_probabilities(what + ", probabilities", module.probabilities, n,
                      model.probabilities.cols());
  check_number(what + ", weight", module.weight, -kLargest, kLargest);
  check_range(what + ", line of the history", module.line, -1, count_of(model.history) - 1);
}

void check_modules(const Model& model) {
  const int64_t n = model.probabilities.rows(), classes = model.probabilities.cols();
  check_range("modules", count_of(model.modules), 1, kMostRows);
  const bool is_paper = std::holds_alternative<PaperState>(*model.modules.front().state);
  if (is_paper) check_range("k", model.config.k, 1, n);
  StateShape fitted{.views = {}, .classes = classes};
  if (model.views) fitted.views = model.views->check(model.features);
  if (!is_paper) check_range("views", count_of(fitted.views), 1, kMostRows);
  for (size_t m = 0; m < model.modules.size(); ++m) {
    const std::string what = "module " + std::to_string(m + 1);
    check_module(what, model.modules[m], model);
    const auto* pool = std::get_if<PoolState>(model.modules[m].state.get());
    check_count(what + ", of the paper's kind", pool == nullptr, is_paper);
    if (pool) {
      check_state(what, *pool, fitted);
    } else {
      check_state(what, std::get<PaperState>(*model.modules[m].state), model);
    }
  }
  for (const NamedMatrix& p : model.parameters) {
    check_matrix(p.name, p.value, p.value.rows(), p.value.cols());
  }
  // New rows read what their neighbours have in it.
  const Matrix* aggregation = model.find_parameter("network.agg");
  if (aggregation) check_matrix("network.agg", *aggregation, n, classes);
  const int64_t nodes = count_of(model.modules) + 1;
  check_matrix("network of graphs", model.network, nodes, nodes);
  check_csr("fused graph", model.fused_graph, n, n);
}

}  // namespace

void validate(const Model& model) {
  check_data(model);
  check_judgement(model);
  check_plan(model);
  check_modules(model);
}

}  // namespace glgnn
