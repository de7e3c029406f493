#include "evaluation_log.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "resume_log.h"

namespace glgnn::cli {
namespace {

std::string fingerprint_text(const Evaluation& evaluation, size_t run) {
  return fmt::format("{:016x}", evaluation.fingerprint_of(run));
}

Json trial_json(const Trial& trial) {
  return {{"settings", assignments_json(trial.assignments)},
          {"val_accuracy", trial.val_accuracy},
          {"val_loss", trial.val_loss},
          {"best_epoch", trial.best_epoch},
          {"epochs", trial.epochs},
          {"modules_tried", trial.tried},
          {"seconds", trial.seconds}};
}

Trial trial_of(const Json& json, const Assignments& assignments) {
  return {.assignments = assignments,
          .val_accuracy = json.at("val_accuracy").get<double>(),
          .val_loss = json.at("val_loss").get<double>(),
          .seconds = json.at("seconds").get<double>(),
          .best_epoch = json.at("best_epoch").get<int64_t>(),
          .epochs = json.at("epochs").get<int64_t>(),
          .tried = json.at("modules_tried").get<int64_t>()};
}

}  // namespace

Json assignments_json(const Assignments& assignments) {
  Json object = Json::object();
  for (const auto& [name, value] : assignments) object[name] = value_json(value);
  return object;
}

Json run_json(size_t run, const RunResult& result, const Evaluation& evaluation) {
  Json trials = Json::array();
  for (const auto& trial : result.trials) trials.push_back(trial_json(trial));
  return {{"event", "run"},
          {"run", run},
          {"fingerprint", fingerprint_text(evaluation, run)},
          {"commit", result.commit},
          {"choice", result.chosen},
          {"chosen", assignments_json(result.best().assignments)},
          {"val_accuracy", result.best().val_accuracy},
          {"test_accuracy", result.test_accuracy},
          {"macro_f1", result.macro_f1},
          {"hidden_accuracy", result.hidden_accuracy},
          {"hidden_rows", result.hidden},
          {"noise_edges", result.noise.added},
          {"noise_edges_kept", result.noise.kept},
          {"noise_edges_kept_by_chance", result.noise.by_chance},
          {"seconds", result.seconds},
          {"peak_memory_mb", result.peak_memory_mb},
          {"trials", std::move(trials)}};
}

RunResult run_of(const Json& line, const Evaluation& evaluation) {
  RunResult result{.chosen = line.at("choice").get<size_t>(),
                   .test_accuracy = line.at("test_accuracy").get<double>(),
                   .macro_f1 = line.at("macro_f1").get<double>(),
                   .hidden_accuracy = line.at("hidden_accuracy").get<double>(),
                   .hidden = line.at("hidden_rows").get<int64_t>(),
                   .seconds = line.at("seconds").get<double>(),
                   .peak_memory_mb = line.value("peak_memory_mb", 0.0),
                   .noise = {.added = line.at("noise_edges").get<int64_t>(),
                             .kept = line.at("noise_edges_kept").get<int64_t>(),
                             .by_chance = line.at("noise_edges_kept_by_chance").get<double>()},
                   .commit = line.at("commit").get<std::string>()};
  const Json& trials = line.at("trials");
  for (size_t t = 0; t < evaluation.trials_per_run(); ++t) {
    result.trials.push_back(trial_of(trials.at(t), evaluation.assignments(t)));
  }
  trials.at(result.chosen);
  return result;
}

std::vector<std::optional<RunResult>> read_evaluation_log(const std::filesystem::path& path,
                                                          const Json& header,
                                                          const Evaluation& evaluation) {
  const LogKind kind{
      "evaluate",
      "an evaluation",
      {"glgnn", "dataset", "graph", "method", "fresh", "more_train", "hide", "noise", "choices"}};
  std::vector<std::optional<RunResult>> results(evaluation.runs());
  read_log(path, kind, header, [&](const Json& line) {
    if (line.at("event") != "run") return;
    const auto run = line.at("run").get<size_t>();
    if (run >= results.size()) return;  // the log of more runs than are wanted now
    if (line.at("fingerprint") != fingerprint_text(evaluation, run)) throw other_data(path);
    results[run] = run_of(line, evaluation);
  });
  return results;
}

}  // namespace glgnn::cli
