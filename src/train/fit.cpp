// From a problem to a model: what is asked is checked, and the mode's trainer does the rest.
#include <glgnn/error.h>
#include <glgnn/trainer.h>

#include <algorithm>

#include "core/cuda/device.h"
#include "modules/paper/inputs.h"
#include "modules/soft_labels.h"
#include "train/trainers.h"

namespace glgnn {
namespace {

[[noreturn]] void refuse(ErrorKind kind, const std::string& text) { throw Error(kind, text); }

void check(const Problem& problem, const Config& config) {
  const int64_t n = problem.features->rows();
  if (n < 3) {
    refuse(ErrorKind::kData, "too few rows: found " + std::to_string(n) + ", expected at least 3");
  }
  if (problem.classes < 2) {
    refuse(ErrorKind::kData,
           "too few classes: found " + std::to_string(problem.classes) + ", expected at least 2");
  }
  if (problem.train.empty()) {
    refuse(ErrorKind::kData,
           "no labelled row to train on: found 0, expected at least one per class");
  }
  const bool best = config.mode == Mode::kBest;
  const int64_t largest = config.diagonal && !best ? n : n - 1;
  if (config.k < (best ? 0 : 1) || config.k > largest) {
    refuse(ErrorKind::kUsage, "k does not fit the data: found k = " + std::to_string(config.k) +
                                  ", expected 1 to " + std::to_string(largest) + " for " +
                                  std::to_string(n) + " rows; set a smaller k");
  }
  if (config.epochs < 1 && !best) refuse(ErrorKind::kUsage, "epochs: found 0, expected at least 1");
  for (const auto* rows : {&problem.train, &problem.val}) {
    for (const int32_t row : *rows) {
      const int32_t label = row >= 0 && row < n ? problem.labels[row] : -1;
      if (label < 0 || label >= problem.classes) {
        refuse(ErrorKind::kData, "row " + std::to_string(row) +
                                     " is to be trained or validated on but has no label: found " +
                                     std::to_string(label) + ", expected 0 to " +
                                     std::to_string(problem.classes - 1));
      }
    }
  }
}

// As the paper: many neighbours in small tables, 10 to 20 in large ones.
int64_t default_k(int64_t rows) {
  const int64_t wanted = rows < 800 ? rows / 4 : rows < 5000 ? 20 : 10;
  return std::clamp<int64_t>(wanted, 1, std::max<int64_t>(1, rows - 1));
}

}  // namespace

Context device_of_training(const Context& context, const Features& features, bool has_graph,
                           const Config& config) {
  // An H200 takes half a second to start, and an epoch of the smallest shipped table a twentieth of
  // the time that 16 threads take (docs/benchmarks.md): 50 epochs are worth it.
  constexpr int64_t kEpochsWorthDevice = 50;
  const int64_t rows = features.rows(), columns = features.cols();
  const bool is_worth_it = config.mode == Mode::kPaper && config.epochs >= kEpochsWorthDevice &&
                           runs_whole_epochs(features, has_graph, config);
  if (context.device != Device::kAuto || !is_worth_it) {
    return resolve_device(context, rows, columns);
  }
  const auto found = cuda::find_device();
  const bool fits = found && cuda::estimate_memory(rows, columns) <= found->free_memory;
  return {context.threads, fits ? Device::kCuda : Device::kCpu};
}

Config resolve_auto(Config config, const Dataset& dataset) {
  if (config.mode == Mode::kBest) return config;
  if (config.k == 0) config.k = dataset.paper_k > 0 ? dataset.paper_k : default_k(dataset.rows());
  if (config.epochs == 0) config.epochs = dataset.paper_epochs > 0 ? dataset.paper_epochs : 200;
  return config;
}

FitResult fit(const Problem& problem, const Config& config, const Context& context,
              const FitOptions& options) {
  Ranks alone;
  return fit_over_ranks(problem, config, context, options, alone);
}

FitResult fit_over_ranks(const Problem& given, const Config& config, const Context& asked,
                         const FitOptions& options, Ranks& ranks) {
  const Problem problem = with_class_weights(given, config);
  check(problem, config);
  const Context context =
      device_of_training(asked, *problem.features, problem.graph != nullptr, config);
  FitResult result;
  if (config.mode == Mode::kBest) {
    result = fit_pool(problem, config, context, options, ranks);
  } else if (ranks.leads()) {
    Config resolved = config;  // the model says what it was trained with
    resolved.temperature = temperature_of(config, problem.graph != nullptr);
    result = fit_paper(problem, resolved, context, options);
  }
  result.model.has_graph = problem.graph != nullptr;
  return result;
}

}  // namespace glgnn
