// Our own files, with the checksum made right again: what a file says must hold without it.
#include <glgnn/data.h>
#include <glgnn/error.h>
#include <glgnn/explain.h>
#include <glgnn/fit_dataset.h>
#include <glgnn/graph_file.h>
#include <glgnn/new_rows.h>
#include <glgnn/suggest.h>

#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/archive.h"
#include "data/data.h"
#include "fuzz/targets.h"
#include "report/predictions.h"
#include "report/report_data.h"

namespace glgnn::fuzz {
namespace {

using Seeds = std::vector<std::string>;

const Context kContext{.threads = 1};

// The size and the sum that the rest of the file asks for.
std::string with_checksum(std::string_view bytes) {
  constexpr size_t kSizeAt = 16, kHeader = 24;
  std::string file(bytes);
  uint64_t sum = 0;
  if (file.size() < kHeader + sizeof sum) return file;
  const uint64_t size = file.size() - kHeader - sizeof sum;
  std::memcpy(file.data() + kSizeAt, &size, sizeof size);
  ByteSum all;  // of the header last
  all.add(file.data() + kHeader, file.size() - kHeader - sizeof sum);
  all.add(file.data(), kHeader);
  sum = all.value();
  std::memcpy(file.data() + file.size() - sizeof sum, &sum, sizeof sum);
  return file;
}

constexpr int kFewest = 12, kWorthLandmarks = 28, kWorthTrees = 420;

Dataset table(int rows) {
  std::string text = "a,b,c,k\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i * i % 5) + "," + std::to_string(i % 2 * 3 + i * 0.1) + "," +
            (i % 3 == 0 ? "red" : "blue") + (i % 2 == 0 ? ",u\n" : ",v\n");
  }
  return load_dataset(write_input("table.csv", text),
                      {.label = "k", .graph = write_input("edges.csv", "0,1\n1,2\n4,7\n")});
}

Config paper() {
  Config config;
  config.mode = Mode::kPaper;
  config.k = 3;
  config.epochs = 3;  // one goes on from a checkpoint of the first and is not at the end
  config.modules = 2;
  config.hidden = 4;
  return config;
}

// One kind of module: a file that has all of them is large, and most of it alike.
Config best(bool Config::*kind) {
  Config config;
  config.members = config.folds = 2;
  config.epochs = 2;
  config.hidden = 4;
  config.spread_heads = config.prototype_heads = config.gnn_heads = config.landmark_heads =
      config.tree_heads = config.prior_heads = false;
  config.*kind = true;
  return config;
}

Split split_of(const Dataset& dataset) { return split_labels(dataset, 0.2, 1); }

std::string model_seed(const Config& config, int rows = kFewest) {
  Dataset dataset = table(rows);
  if (config.mode == Mode::kBest && config.prior_heads) dataset.has_graph = false;
  const FitResult fitted = fit_dataset(dataset, split_of(dataset), config, kContext);
  const std::string path = input_path("seed.glgnn");
  save_model(fitted.model, path);
  return bytes_of(path);
}
Seeds model_seeds() {
  return {model_seed(paper()),
          model_seed(best(&Config::spread_heads)),
          model_seed(best(&Config::prototype_heads)),
          model_seed(best(&Config::gnn_heads)),
          model_seed(best(&Config::landmark_heads), kWorthLandmarks),
          model_seed(best(&Config::tree_heads), kWorthTrees),
          model_seed(best(&Config::prior_heads))};
}

void run_model(std::string_view bytes) { load_model(write_input("m.glgnn", with_checksum(bytes))); }

// Each use may refuse what it cannot do with the model; none may do worse.
void use(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error&) {
  }
}

void run_use(std::string_view bytes) {
  const Model model = load_model(write_input("m.glgnn", with_checksum(bytes)));
  use([&] { predictions_csv(model); });
  use([&] { report_data(model); });
  use([&] { learned_graph(model, {.top = 2, .undirected = true}); });
  use([&] { suggest_rows(model, 3, kContext); });
  use([&] { Explainer(model, kContext).explain(0); });
  use([&] {
    const std::string path = write_input("new.csv", "a,b,c\n1,2,red\n0,1,blue\n");
    NewRows rows(path, model.plan, model.class_names, {.sparse = model.features.is_sparse});
    const NewRowPredictor predictor(model, kContext);
    for (RowBlock block; rows.next(block);) predictor.predict(block.features);
  });
}

FitResult fit_with(const Config& config, const FitOptions& options) {
  static const Dataset few = table(kFewest), more = table(kWorthLandmarks);
  static const Split split_of_few = split_of(few), split_of_more = split_of(more);
  const bool is_paper = config.mode == Mode::kPaper;
  return fit_dataset(is_paper ? few : more, is_paper ? split_of_few : split_of_more, config,
                     kContext, options);
}

std::string checkpoint_seed(const Config& config) {
  const std::string path = input_path("seed.checkpoint");
  fit_with(config, {.on_epoch = [](const EpochReport& report) { return report.epoch < 1; },
                    .checkpoint = path,
                    .checkpoint_seconds = 0});
  return bytes_of(path);
}
Seeds checkpoint_seeds() { return {checkpoint_seed(paper())}; }
Seeds pool_checkpoint_seeds() { return {checkpoint_seed(best(&Config::landmark_heads))}; }

// Loads it, and where it is one of this training goes on from there.
void resume(const Config& config, std::string_view bytes) {
  const std::string path = write_input("m.checkpoint", with_checksum(bytes));
  fit_with(
      config,
      {.on_epoch = [](const EpochReport&) { return false; }, .checkpoint = path, .resume = true});
}
void run_checkpoint(std::string_view bytes) { resume(paper(), bytes); }
void run_pool_checkpoint(std::string_view bytes) { resume(best(&Config::landmark_heads), bytes); }

constexpr Target kTargets[] = {
    {"model", run_model, model_seeds},
    {"use", run_use, model_seeds},
    {"checkpoint", run_checkpoint, checkpoint_seeds},
    {"pool_checkpoint", run_pool_checkpoint, pool_checkpoint_seeds},
};

}  // namespace

std::span<const Target> model_targets() { return kTargets; }

}  // namespace glgnn::fuzz
