#include "bench/training_run.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/measure.h"
#include "data/data.h"

namespace glgnn::bench {

namespace {

// Settles what is left to the data, and scales the features in place.
Problem prepare(Dataset& dataset, Config& config) {
  config.mode = Mode::kPaper;
  config = resolve_auto(config, dataset);
  config.scaling = resolve_scaling(config.scaling, dataset.features, dataset.scaling);
  scale_features(dataset.features, config.scaling);
  const Split& split = dataset.splits.front();
  std::vector<int32_t> seen = split.train;
  seen.insert(seen.end(), split.val.begin(), split.val.end());
  return {.features = &dataset.features,
          .graph = nullptr,
          .labels = reveal_labels(dataset.labels, seen),
          .train = split.train,
          .val = split.val,
          .classes = dataset.classes()};
}

Json answer(const Dataset& dataset, const Config& config, double seconds) {
  const auto peak = peak_mb();
  return {{"seconds", seconds},
          {"peak_mb", peak ? Json(*peak) : Json(nullptr)},
          {"extra",
           {{"n", dataset.rows()},
            {"d", dataset.features.cols()},
            {"k", config.k},
            {"modules", config.modules}}}};
}

}  // namespace

Json time_training(Dataset& dataset, Config config, const Context& context) {
  const Problem problem = prepare(dataset, config);
  const FitResult result = fit(problem, config, context);
  Json json = answer(dataset, config, result.model.history.back().seconds);
  json["extra"]["epochs"] = config.epochs;
  json["extra"]["refresh"] = config.refresh;
  return json;
}

Json time_epochs(Dataset& dataset, Config config, const EpochPlan& plan) {
  const Problem problem = prepare(dataset, config);
  config.epochs = std::max<int64_t>(config.epochs, plan.least + 1);
  std::vector<double> seconds;
  double before = 0;
  FitOptions options;
  options.on_epoch = [&](const EpochReport& report) {
    if (report.epoch > 1) seconds.push_back(report.seconds - before);
    before = report.seconds;
    return report.epoch <= plan.least || report.seconds < plan.seconds;
  };
  fit(problem, config, plan.context, options);
  Json json = answer(dataset, config, median(seconds));
  json["extra"].update({{"mode", get_setting(config, "mode")},
                        {"graph", "unknown"},
                        {"epochs", seconds.size()},
                        {"seconds_min", *std::min_element(seconds.begin(), seconds.end())}});
  return json;
}

}  // namespace glgnn::bench
