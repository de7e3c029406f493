#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "core/available_memory.h"
#include "core/rng.h"
#include "data/data.h"
#include "report/machine.h"

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
  return {{"seconds", seconds},
          {"peak_mb", peak_memory_mb()},
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

namespace {

const char* const kDatasets[] = {"digits", "cora", "citeseer", "20news"};

// What the peer held on 20news, in matrices of N x N floats; three modules.
constexpr double kPeerMatrices = 60;

// Empty where the peer's matrices fit into the memory.
std::string too_large(double rows) {
  const double needed = kPeerMatrices * rows * rows * sizeof(float);
  const auto available = available_memory();
  if (!available || needed <= static_cast<double>(*available)) return "";
  return fmt::format("not run: the peer needs about {:.1f} GB, {:.1f} GB are available",
                     1e-9 * needed, 1e-9 * static_cast<double>(*available));
}

void add_peer(Result& result, const std::string& dataset, const Options& options) {
  const auto rows = result.extra.at("n").get<double>();
  result.note = too_large(rows);
  if (!result.note.empty()) return;
  constexpr double kManyRows = 5000;  // an epoch takes minutes
  if (rows > kManyRows && options.quick) {
    result.note = "the peer is left out by --quick";
    return;
  }
  const int epochs = rows > kManyRows || options.quick ? 1 : 5;
  options.say("epoch/" + dataset + " by PyTorch");
  const PeerAnswer answer = run_peer(
      options, "torch_epoch.py",
      {(shipped_folder() / dataset).string(), "--k",
       std::to_string(result.extra.at("k").get<int>()), "--modules",
       std::to_string(result.extra.at("modules").get<int>()), "--epochs", std::to_string(epochs),
       "--threads", std::to_string(options.threads), "--no-graph", "--json"});
  result.note = answer.note;
  if (!answer.note.empty()) return;
  const Json& peer = answer.object;
  result.peer_seconds =
      peer.at("train_seconds_median").get<double>() + peer.at("eval_seconds_median").get<double>();
  result.peer_peak_mb = peer.at("peak_mb").get<double>();
  result.extra["peer_epochs"] = epochs;
  result.extra["peer_version"] = peer.at("torch");
  result.extra["peer_blas"] = peer.at("blas");
  result.extra["others_busy_cores"] = peer.at("others_busy_cores");
}

}  // namespace

Json child_epoch(const std::string& name, const Options& options) {
  Dataset dataset = load_dataset(name);
  return time_epochs(dataset, Config{},
                     {.context = options.context(),
                      .least = options.quick ? 2 : 5,
                      .seconds = options.quick ? 0.0 : 5.0});
}

Json child_refresh(const std::string& name, const Options& options) {
  Dataset dataset = load_dataset(name);
  Config config;
  config.epochs = options.quick ? 20 : 200;
  config.refresh = 10;
  config.softmax_over = SoftmaxOver::kKept;
  return time_training(dataset, config, options.context());
}

std::vector<Result> measure_epochs(const Options& options) {
  std::vector<Result> results;
  for (const std::string dataset : kDatasets) {
    Result result = run_ours(options, "epoch/" + dataset);
    result.peer = "torch";
    if (result.seconds) add_peer(result, dataset, options);
    if (result.peak_mb && result.peer_peak_mb) {
      result.extra["memory_ratio"] = *result.peer_peak_mb / *result.peak_mb;
    }
    results.push_back(std::move(result));
  }
  for (const char* dataset : {"cora", "20news"}) {
    results.push_back(run_ours(options, std::string("refresh/") + dataset));
  }
  return results;
}

namespace {

constexpr int64_t kFeatures = 64, kClasses = 10, kLabelled = 20, kNeighbours = 10;

// Classes are Gaussian clouds around random centres; the first rows of each train and validate.
Dataset gaussian_classes(int64_t rows) {
  Dataset dataset;
  dataset.name = "gaussian";
  dataset.features.dense = Matrix(rows, kFeatures);
  const Rng centres{.seed = 1, .stream = Stream::kInit, .owner = 0};
  const Rng noise{.seed = 1, .stream = Stream::kInit, .owner = 1};
  Split split;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t label = i % kClasses, turn = i / kClasses;
    for (int64_t f = 0; f < kFeatures; ++f) {
      dataset.features.dense[i][f] = centres.normal(static_cast<uint64_t>(label * kFeatures + f)) +
                                     noise.normal(static_cast<uint64_t>(i * kFeatures + f));
    }
    dataset.labels.push_back(static_cast<int32_t>(label));
    auto& part = turn < kLabelled ? split.train : turn < 2 * kLabelled ? split.val : split.test;
    part.push_back(static_cast<int32_t>(i));
  }
  for (int64_t c = 0; c < kClasses; ++c) dataset.class_names.push_back(std::to_string(c));
  dataset.splits.push_back(std::move(split));
  return dataset;
}

Json exponents(const std::vector<Result>& results, size_t first) {
  std::vector<double> rows, seconds, megabytes;
  for (size_t i = first; i < results.size(); ++i) {
    if (!results[i].seconds || !results[i].peak_mb) continue;
    rows.push_back(results[i].extra.at("n").get<double>());
    seconds.push_back(*results[i].seconds);
    megabytes.push_back(*results[i].peak_mb);
  }
  if (rows.size() < 2) return nullptr;
  return {{"from", rows.front()},
          {"to", rows.back()},
          {"seconds", fitted_exponent(rows, seconds)},
          {"peak_mb", fitted_exponent(rows, megabytes)}};
}

// Processor seconds of the epochs of one training of paper mode.
double training_seconds(int64_t rows, int64_t modules, int64_t epochs) {
  Dataset dataset = gaussian_classes(rows);
  Config config;
  config.k = kNeighbours;
  config.modules = modules;
  config.epochs = epochs;
  const Problem problem = prepare(dataset, config);
  const std::clock_t start = std::clock();
  std::clock_t last = start;
  FitOptions options;
  options.on_epoch = [&](const EpochReport&) {
    last = std::clock();
    return true;
  };
  fit(problem, config, Context{1}, options);
  return static_cast<double>(last - start) / CLOCKS_PER_SEC;
}

// One of the three grows, the others stay.
template <class Seconds>
Json growth(const Options& options, const std::string& what, const std::vector<int64_t>& values,
            Seconds seconds_of) {
  std::vector<double> x, seconds;
  for (const int64_t value : values) {
    options.say(fmt::format("complexity: {} {}", value, what));
    x.push_back(static_cast<double>(value));
    seconds.push_back(seconds_of(value));
  }
  return {{"values", values}, {"seconds", seconds}, {"exponent", fitted_exponent(x, seconds)}};
}

}  // namespace

Json measure_complexity(const Options& options) {
  training_seconds(256, 1, 1);  // what is loaded at the first use is not counted
  const int64_t rows = options.quick ? 256 : 2048, largest = options.quick ? 1024 : 16'384;
  std::vector<int64_t> sizes;
  for (int64_t size = rows; size <= largest; size *= 2) sizes.push_back(size);
  return {
      {"rows", growth(options, "rows", sizes, [](int64_t n) { return training_seconds(n, 3, 3); })},
      {"modules", growth(options, "modules", {1, 2, 4, 8},
                         [&](int64_t m) { return training_seconds(rows, m, 10); })},
      {"epochs", growth(options, "epochs", {5, 10, 20, 40},
                        [&](int64_t t) { return training_seconds(rows, 3, t); })}};
}

Json child_scaling(int64_t rows, const Options& options) {
  Dataset dataset = gaussian_classes(rows);
  Config config;
  config.k = kNeighbours;
  const int64_t epochs = rows > 20'000 ? 1 : options.quick ? 2 : 5;
  return time_epochs(dataset, config, {.context = options.context(), .least = epochs});
}

std::vector<Result> measure_scaling(const Options& options) {
  const int64_t largest = options.quick ? 16'384 : 131'072;
  std::vector<Result> results;
  for (int64_t rows = 1024; rows <= largest; rows *= 2) {
    results.push_back(run_ours(options, "scaling/" + std::to_string(rows)));
  }
  return results;
}

Json scaling_exponents(const std::vector<Result>& results) {
  return {{"all", exponents(results, 0)}, {"larger_half", exponents(results, results.size() / 2)}};
}

}  // namespace glgnn::bench
