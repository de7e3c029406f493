// glgnn info: this program and machine, or what a model file holds.
#include <fmt/core.h>
#include <glgnn/context.h>
#include <glgnn/model.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "core/available_memory.h"
#include "data/data.h"
#include "data/message.h"
#include "describe.h"
#include "report/json.h"
#include "report/machine.h"
#include "report/model_columns.h"
#include "report/report_data.h"
#include "text.h"

namespace glgnn::cli {
namespace {

constexpr size_t kKeyFeatures = 10;

Json program_info() {
  Json info = program_json(default_context().threads);
  info["simd"] = simd_target();
  info["blas"] = blas_name();
  const auto memory = available_memory();
  info["available_memory_mb"] = memory ? Json(*memory >> 20) : Json(nullptr);
  info["data_folder"] = shipped_folder().string();
  return info;
}

void print_program(const Json& info) {
  const auto memory = available_memory();
  fmt::print("glgnn {} (commit {})\n", version(), commit());
  fmt::print("machine      {}, {}, {}\n", info["machine"].get<std::string>(),
             counted(info["threads"].get<int>(), "thread"), info["simd"].get<std::string>());
  fmt::print("memory       {}\n", memory ? memory_text(*memory) + " available" : "unknown");
  fmt::print("blas         {}\n", info["blas"].get<std::string>());
  fmt::print("data folder  {}\n", info["data_folder"].get<std::string>());
}

Json model_info(const Model& model, const std::string& path) {
  const EpochReport best = best_epoch(model);
  Json info = {
      {"model", path},
      {"dataset", model.dataset},
      {"rows", model.probabilities.rows()},
      {"features", model.feature_names.size()},
      {"classes", model.class_names},
      {"train", model.train.size()},
      {"val", validated_rows(model).size()},
      {"epochs", model.history.size()},
      {"best_epoch", model.best_epoch},
      {"val_accuracy", validated_rows(model).empty() ? Json(nullptr) : Json(best.val_accuracy)},
      {"graph_weights", module_weights(model)},
      {"graph_edges", model.fused_graph.nnz()},
      {"graph_links", links_of(model.fused_graph)}};
  info.update(estimate_json(model));
  Json features = Json::object();
  const ModelColumns columns(model);
  const auto weights = columns.merged(feature_weights(model));
  for (size_t c = 0; c < weights.size(); ++c) features[columns.names()[c]] = weights[c];
  info["feature_weights"] = std::move(features);
  info["settings"] = settings_json(model.config);
  return info;
}

// The settings that are not the defaults, as one would type them.
std::string changed_settings(const Config& config) {
  std::vector<std::string> changed;
  const std::string mode = get_setting(config, "mode");
  for (const auto& setting : list_settings(config)) {
    const bool is_read = setting.mode.empty() || setting.mode == mode;
    if (is_read && setting.value != get_setting({}, setting.name)) {
      changed.push_back("--" + setting.name + " " + setting.value);
    }
  }
  return changed.empty() ? "the defaults" : joined(changed, " ");
}

void print_model(const Model& model, const std::string& path) {
  const EpochReport best = best_epoch(model);
  fmt::print("{}: model of {}\n", path, model.dataset);
  fmt::print("data               {} rows, {} features, {} classes; {} trained, {} validated\n",
             model.probabilities.rows(), model.feature_names.size(), model.class_names.size(),
             model.train.size(), validated_rows(model).size());
  fmt::print("classes            {}\n", joined(model.class_names, ", "));
  if (model.config.mode == Mode::kBest) {
    fmt::print("training           {} of {} modules kept", kept_modules(model),
               model.history.size() - 1);
  } else {
    fmt::print("training           epoch {} of {} kept", model.best_epoch, model.history.size());
  }
  if (!validated_rows(model).empty()) {
    fmt::print(", chosen by a validation accuracy of {}", percent(best.val_accuracy));
  }
  for (const std::string& sentence : estimate_sentences(model)) {
    fmt::print("\n{:<19}{}", "", sentence);
  }
  if (const std::string shares = shares_sentence(model); !shares.empty()) {
    fmt::print("\n{:<19}{}", "", shares);
  }
  fmt::print("\nnetwork of graphs  {}\n", network_sentence(model));
  for (size_t m = 0; m < model.modules.size(); ++m) {
    const FittedModule& module = model.modules[m];
    if (module.note.empty()) continue;
    fmt::print("  graph {:<4}{:<7.3f}{}\n", m + 1, module.weight, module.note);
  }
  fmt::print("learned graph      {} between rows\n", counted(links_of(model.fused_graph), "link"));
  fmt::print("key features       {}\n", joined(key_features(model, kKeyFeatures), ", "));
  fmt::print("settings           {}\n", changed_settings(model.config));
}

}  // namespace

Command add_info(CLI::App& program) {
  struct Options {
    std::string model;
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* app =
      program.add_subcommand("info", "version, machine and data folder; or what a model holds");
  app->add_option("MODEL", options->model, "model file to describe")->type_name("");
  app->add_flag("--json", options->json, "one JSON object");
  return {app, [options] {
            if (options->model.empty()) {
              const Json info = program_info();
              options->json ? fmt::print("{}\n", json_text(info, 1)) : print_program(info);
              return 0;
            }
            const Model model = load_model(options->model);
            if (options->json) {
              fmt::print("{}\n", json_text(model_info(model, options->model), 1));
            } else {
              print_model(model, options->model);
            }
            return 0;
          }};
}

}  // namespace glgnn::cli
