#include <glgnn/error.h>
#include <glgnn/fit_dataset.h>

#include <map>
#include <set>
#include <utility>

#include "api/over_ranks.h"
#include "data/data.h"
#include "data/message.h"
#include "train/folds.h"
#include "train/trainers.h"

namespace glgnn {

namespace {

constexpr double kTrainFraction = 0.8;

// A class with a single label keeps it for training, so that nothing is known about its errors.
// Beside such a class fewer labels than this do not tell which module is the best.
constexpr int64_t kLabelsWorthValidating = 10;

bool can_validate(const Dataset& dataset, const std::vector<int32_t>& rows) {
  std::map<int32_t, int64_t> of_class;
  for (const int32_t row : rows) ++of_class[dataset.labels[static_cast<size_t>(row)]];
  int64_t usable = 0, single = 0;
  for (const auto& [label, count] : of_class) {
    usable += count > 1 ? count : 0;
    single += count == 1;
  }
  return usable >= kLabelsWorthValidating || (usable > 0 && single == 0);
}

}  // namespace

Split split_labels(const Dataset& dataset, double test_fraction, uint64_t seed) {
  const auto split = [&](double train) {
    return make_split(dataset.labels, dataset.classes(), {.train = train, .test = test_fraction},
                      seed);
  };
  Split all_train = split(1);
  return can_validate(dataset, all_train.train) ? split(kTrainFraction) : all_train;
}

Split default_split(const Dataset& dataset, uint64_t seed) {
  return dataset.splits.empty() ? split_labels(dataset, 0, seed) : dataset.splits.front();
}

void check_split(const Dataset& dataset, const Split& split) {
  std::set<int32_t> classes;
  for (const int32_t row : split.train) classes.insert(dataset.labels[static_cast<size_t>(row)]);
  classes.erase(-1);
  if (classes.size() < 2) {
    throw Error(ErrorKind::kData,
                dataset.name + ": the training rows hold " +
                    (classes.empty() ? "no class" : "1 class") +
                    ", expected at least 2; label more rows, or use another split");
  }
  for (const auto& [rows, what] : {std::pair{&split.val, "validate"}, {&split.test, "test"}}) {
    for (const int32_t row : *rows) {
      const int32_t label = dataset.labels[static_cast<size_t>(row)];
      if (label < 0 || classes.contains(label)) continue;
      const auto name = static_cast<size_t>(label);
      throw Error(ErrorKind::kData,
                  dataset.name + ": row " + std::to_string(row) + " is to " + what +
                      " with the class \"" + dataset.class_names[name] +
                      "\", of which no row trains; expected one at least: move a row of it to the "
                      "training rows, or leave the class out");
    }
  }
}

Config resolve_settings(const Config& config, const Dataset& dataset) {
  Config resolved = resolve_auto(config, dataset);
  // Best mode prepares the features in several ways of its own.
  const bool best = config.mode == Mode::kBest;
  resolved.scaling =
      best ? Scaling::kNone : resolve_scaling(config.scaling, dataset.features, dataset.scaling);
  const int64_t largest = dataset.rows() - (resolved.diagonal ? 0 : 1);
  if (resolved.k <= largest) return resolved;
  throw Error(ErrorKind::kUsage,
              "k does not fit the data: found k = " + std::to_string(resolved.k) + ", expected " +
                  std::to_string(largest) + " at most, as " + dataset.name + " has " +
                  counted(dataset.rows(), "row") + "; set a smaller k");
}

Config resolve_settings(const Config& config, const Dataset& dataset, const Split& split) {
  Config resolved = resolve_settings(config, dataset);
  const bool is_ours = config.mode == Mode::kPaper && config.scaling == Scaling::kAuto &&
                       dataset.scaling.empty() && dataset.features.is_sparse;
  if (is_ours && resolved.scaling == Scaling::kRowUnit) {
    resolved.scaling = text_scaling(dataset, split);
  }
  return resolved;
}

Problem make_problem(const Dataset& dataset, const Features& scaled, const Split& split,
                     bool with_graph) {
  std::vector<int32_t> seen = split.train;
  seen.insert(seen.end(), split.val.begin(), split.val.end());
  return {.features = &scaled,
          .graph = with_graph ? &dataset.graph : nullptr,
          .labels = reveal_labels(dataset.labels, seen),
          .train = split.train,
          .val = split.val,
          .val_is_drawn = split.val_is_drawn,
          .classes = dataset.classes()};
}

int64_t planned_validation(const Problem& problem, const Config& config) {
  int64_t rows = 0;  // no row is held back twice
  for (const Problem& fold : draw_folds(problem, config)) {
    rows += static_cast<int64_t>(fold.val.size());
  }
  return rows;
}

FitResult fit_dataset(Dataset dataset, const Split& split, const Config& config,
                      const Context& context, const FitOptions& options) {
  Ranks alone;
  return fit_dataset_over_ranks(std::move(dataset), split, config, context, options, alone);
}

FitResult fit_dataset_over_ranks(Dataset dataset, const Split& split, const Config& config,
                                 const Context& context, const FitOptions& options, Ranks& ranks) {
  check_split(dataset, split);
  const Config resolved = resolve_settings(config, dataset, split);
  dataset.plan.scale = learn_scale(dataset.features, resolved.scaling);
  apply_scale(dataset.features, dataset.plan.scale);
  Problem problem = make_problem(dataset, dataset.features, split, dataset.has_graph);
  problem.left_out = options.left_out;
  FitResult result = fit_over_ranks(problem, resolved, context, options, ranks);
  keep_data(result.model, std::move(dataset), split);
  return result;
}

}  // namespace glgnn
