// glgnn evaluate: test accuracy of a dataset over its splits.
#include <fmt/core.h>
#include <glgnn/error.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "commands.h"
#include "data/data.h"
#include "data/message.h"
#include "describe.h"
#include "evaluation.h"
#include "interrupt.h"
#include "prepare.h"
#include "progress.h"
#include "report/machine.h"
#include "report/training_log.h"
#include "setting_options.h"
#include "terminal.h"
#include "threads.h"
#include "words.h"

namespace glgnn::cli {
namespace {

constexpr size_t kDefaultRuns = 10;

double mean(const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return sum / static_cast<double>(values.size());
}

// Of a sample; 0 for a single value.
double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

template <class Value>
std::vector<double> each(const std::vector<RunResult>& results, Value value) {
  std::vector<double> values;
  for (const auto& result : results) values.push_back(static_cast<double>(value(result)));
  return values;
}

std::string words(const Assignments& assignments) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : assignments) parts.push_back(name + "=" + value);
  return joined(parts, " ");
}

Json assignments_json(const Assignments& assignments) {
  Json object = Json::object();
  for (const auto& [name, value] : assignments) object[name] = value_json(value);
  return object;
}

Json run_json(size_t run, const RunResult& result) {
  Json trials = Json::array();
  for (const auto& trial : result.trials) {
    trials.push_back({{"settings", assignments_json(trial.assignments)},
                      {"val_accuracy", trial.val_accuracy},
                      {"val_loss", trial.val_loss},
                      {"best_epoch", trial.best_epoch},
                      {"epochs", trial.epochs},
                      {"seconds", trial.seconds}});
  }
  return {{"event", "run"},
          {"run", run},
          {"chosen", assignments_json(result.best().assignments)},
          {"val_accuracy", result.best().val_accuracy},
          {"test_accuracy", result.test_accuracy},
          {"seconds", result.seconds},
          {"trials", std::move(trials)}};
}

struct EvaluateCommand {
  DataOptions data;
  SettingOptions settings;
  ThreadOption threads;
  std::string log_file;
  std::optional<size_t> runs;
  std::optional<uint64_t> fresh;
  double more_train = 0;
  std::vector<std::string> choices;
  double noise = 0;
  bool json = false, quiet = false;

  int run() const;

 private:
  std::vector<RunPlan> plans(const Dataset& dataset, uint64_t seed) const;
  Json result_json(const Dataset& dataset, const Evaluation& evaluation, const Context& context,
                   const std::vector<RunResult>& results) const;
  void print_head(const Dataset& dataset, const Evaluation& evaluation) const;
  void print_run(size_t run, const RunResult& result) const;
  void print_summary(const std::vector<RunResult>& results) const;
};

std::vector<RunPlan> EvaluateCommand::plans(const Dataset& dataset, uint64_t seed) const {
  const size_t count = runs.value_or(kDefaultRuns);
  if (count == 0) throw Error(ErrorKind::kUsage, "--runs: found 0, expected 1 or more");
  std::vector<RunPlan> plans;
  if (data.fractions_given()) {
    for (size_t run = 0; run < count; ++run) {
      plans.push_back({choose_split(dataset, data, seed + run), seed + run});
    }
  } else if (dataset.splits.empty()) {
    throw Error(ErrorKind::kUsage, dataset.name +
                                       " comes without splits; make some with --test-fraction, "
                                       "e.g. --test-fraction 0.2");
  } else if (fresh) {
    for (size_t run = 0; run < count; ++run) {
      plans.push_back(
          {redraw_split(dataset.labels, dataset.classes(), dataset.splits[0], *fresh + 1000 * run),
           seed + run});
    }
  } else {
    plans = plan_runs(dataset, count, seed);
  }
  if (!(more_train >= 0 && more_train < 1)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--more-train: found {}, expected 0 to below 1", more_train));
  }
  for (auto& plan : plans) {
    if (more_train > 0) {
      train_on_validation(plan.split, dataset.labels, dataset.classes(), more_train, plan.seed);
    }
  }
  if (runs && plans.size() < count) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--runs {}: {} has {}; use --runs {} or less", count, dataset.name,
                            counted(static_cast<int64_t>(plans.size()), "split"), plans.size()));
  }
  for (const auto& plan : plans) {
    check_split(dataset, plan.split);
    if (!choices.empty() && plan.split.val.empty()) {
      throw Error(ErrorKind::kUsage, "--choose: " + dataset.name +
                                         " has a split without validation rows to choose by");
    }
    if (labelled_rows(dataset.labels, plan.split.test).empty()) {
      throw Error(ErrorKind::kData, dataset.name +
                                        ": a split without labelled test rows cannot be evaluated; "
                                        "add them, or use `glgnn fit`");
    }
  }
  return plans;
}

Json EvaluateCommand::result_json(const Dataset& dataset, const Evaluation& evaluation,
                                  const Context& context,
                                  const std::vector<RunResult>& results) const {
  const auto test = each(results, [](const auto& r) { return r.test_accuracy; });
  const auto val = each(results, [](const auto& r) { return r.best().val_accuracy; });
  Json chosen = Json::array(), best_epochs = Json::array();
  for (const auto& result : results) {
    chosen.push_back(assignments_json(result.best().assignments));
    best_epochs.push_back(result.best().best_epoch);
  }
  Json object = {{"dataset", dataset.name},
                 {"graph", data.graph},
                 {"mode", get_setting(evaluation.config(), "mode")},
                 {"fresh", fresh ? Json(*fresh) : Json(nullptr)},
                 {"more_train", more_train},
                 {"runs", results.size()},
                 {"test_accuracy_mean", mean(test)},
                 {"test_accuracy_std", standard_deviation(test)},
                 {"val_accuracy_mean", mean(val)},
                 {"seconds_mean", mean(each(results, [](const auto& r) { return r.seconds; }))},
                 {"peak_memory_mb", peak_memory_mb()},
                 {"test_accuracy", test},
                 {"val_accuracy", val},
                 {"chosen", std::move(chosen)},
                 {"epochs", results.front().best().epochs},
                 {"best_epochs", std::move(best_epochs)},
                 {"settings", settings_json(evaluation.config())}};
  if (noise > 0) {
    object["noise"] = noise;
    object["noise_edges_mean"] = mean(each(results, [](const auto& r) { return r.noise.added; }));
    object["noise_edges_kept_mean"] =
        mean(each(results, [](const auto& r) { return r.noise.kept; }));
    object["noise_edges_kept_by_chance_mean"] =
        mean(each(results, [](const auto& r) { return r.noise.by_chance; }));
  }
  object.update(program_json(context.threads));
  return object;
}

void EvaluateCommand::print_head(const Dataset& dataset, const Evaluation& evaluation) const {
  const Config& config = evaluation.config();
  const std::string plan =
      config.mode == Mode::kBest
          ? fmt::format("mode best, {}", config.tuned ? "tuned in each run" : "untuned")
          : fmt::format("mode paper, k {}, {}", config.k, counted(config.epochs, "epoch"));
  fmt::print("{}; graph {}, {}\n", data_sentence(dataset, config), data.graph, plan);
  const std::string choice = evaluation.trials_per_run() > 1
                                 ? fmt::format(", each the best on validation of {} trainings",
                                               evaluation.trials_per_run())
                                 : "";
  fmt::print("{}{}\n", counted(static_cast<int64_t>(evaluation.runs()), "run"), choice);
  const std::string titles = fmt::format("{:>5}{:>12}{:>9}{:>8}{:>11}", "run", "validation", "test",
                                         config.mode == Mode::kBest ? "modules" : "epoch", "time");
  fmt::print("{}\n", Paint(stdout).bold(titles + (choice.empty() ? "" : "  chosen")));
  std::fflush(stdout);
}

void EvaluateCommand::print_run(size_t run, const RunResult& result) const {
  const std::string chosen = words(result.best().assignments);
  fmt::print("{:>5}{:>12}{:>9}{:>8}{:>11}{}\n", run, percent(result.best().val_accuracy),
             percent(result.test_accuracy), result.best().shown_epoch(),
             duration_text(result.seconds), chosen.empty() ? "" : "  " + chosen);
  std::fflush(stdout);
}

void EvaluateCommand::print_summary(const std::vector<RunResult>& results) const {
  const auto test = each(results, [](const auto& r) { return r.test_accuracy; });
  const auto val = each(results, [](const auto& r) { return r.best().val_accuracy; });
  const auto seconds = each(results, [](const auto& r) { return r.seconds; });
  fmt::print("{}  (mean and standard deviation)\n",
             Paint(stdout).bold(fmt::format("test accuracy {:.1f} ± {:.1f} %", 100 * mean(test),
                                            100 * standard_deviation(test))));
  fmt::print("validation {}, {} a run, at most {:.0f} MB of memory\n", percent(mean(val)),
             duration_text(mean(seconds)), peak_memory_mb());
  if (noise > 0) {
    fmt::print(
        "wrong edges: {:.0f} put in, {:.0f} in the learned graph, where chance keeps {:.0f}\n",
        mean(each(results, [](const auto& r) { return r.noise.added; })),
        mean(each(results, [](const auto& r) { return r.noise.kept; })),
        mean(each(results, [](const auto& r) { return r.noise.by_chance; })));
  }
}

int EvaluateCommand::run() const {
  DataOptions without_graph_file = data;
  without_graph_file.graph.clear();
  const Config given = settings.config();
  const Dataset dataset = load_data(without_graph_file, quiet);
  const bool known = wants_own_graph(data.graph, dataset);
  if (!(noise >= 0 && noise < 1)) {
    throw Error(ErrorKind::kUsage, fmt::format("--noise: found {}, expected 0 to below 1", noise));
  }
  std::vector<Choice> parsed;
  for (const auto& text : choices) parsed.push_back(parse_choice(text));
  Evaluation evaluation(dataset, plans(dataset, given.seed), given, parsed, known, noise);
  check_memory(evaluation.memory_needed(), evaluation.config());
  const Context context = threads.context();

  std::optional<TrainingLog> log;
  if (!log_file.empty()) {
    Json header = {{"event", "start"}, {"time", utc_time()}, {"dataset", dataset.name}};
    header["graph"] = data.graph;
    header["settings"] = settings_json(evaluation.config());
    header.update(program_json(context.threads));
    log.emplace(log_file, TrainingLog::Start::kNew, header);
  }
  if (!json) print_head(dataset, evaluation);

  const InterruptGuard interrupt;
  Progress progress(evaluation.total_epochs(), quiet);
  const auto on_epoch = [&](size_t run, size_t trial, int64_t done, const EpochReport& report) {
    std::string label = fmt::format("run {}/{}", run + 1, evaluation.runs());
    if (evaluation.trials_per_run() > 1) {
      label += fmt::format(" choice {}/{}", trial + 1, evaluation.trials_per_run());
    }
    progress.label(std::move(label));
    progress.update({.done = done, .loss = report.loss, .val_accuracy = report.val_accuracy});
    return !interrupt.interrupted();
  };
  std::vector<RunResult> results;
  for (size_t run = 0; run < evaluation.runs(); ++run) {
    RunResult result;
    if (!evaluation.run(run, context, on_epoch, result)) {
      progress.finish();
      fmt::print(stderr, "stopped after {} of {} runs\n", run, evaluation.runs());
      return interrupt.exit_status();
    }
    if (log) log->event(run_json(run, result));
    progress.clear();
    if (!json) print_run(run, result);
    results.push_back(std::move(result));
  }
  progress.dismiss();
  const Json object = result_json(dataset, evaluation, context, results);
  if (log) {
    Json end = {{"event", "end"}, {"time", utc_time()}};
    end.update(object);
    log->event(end);
  }
  json ? fmt::print("{}\n", json_text(object)) : print_summary(results);
  return 0;
}

}  // namespace

Command add_evaluate(CLI::App& program) {
  const auto command = std::make_shared<EvaluateCommand>();
  command->data.graph = "unknown";
  CLI::App* app =
      program.add_subcommand("evaluate", "test accuracy of a dataset over its splits or seeds");
  app->add_option("DATASET", command->data.data,
                  "a shipped dataset, a folder in their layout, or a file")
      ->type_name("");
  app->add_option("--graph", command->data.graph, "use the set's own graph, or not (unknown)")
      ->type_name("known|unknown");
  app->add_option("--runs", command->runs,
                  "how many of the splits, or seeds of a single split (10)")
      ->type_name("N");
  app->add_option("--fresh", command->fresh,
                  "draw new splits of the same sizes with this seed, instead of the set's own")
      ->type_name("SEED");
  app->add_option("--more-train", command->more_train,
                  "train on this part of the validation rows too, as LDS does with 0.5")
      ->type_name("PART");
  app->add_option("--choose", command->choices,
                  "let each run choose a setting by its validation labels; may be repeated")
      ->type_name("NAME=V1,V2,...")
      ->allow_extra_args(false);
  app->add_option(
         "--noise", command->noise,
         "put a wrong edge between any two rows with this probability, and count what is kept")
      ->type_name("P");
  app->add_option("--log", command->log_file, "JSON-lines log, one object for each run")
      ->type_name("FILE");
  app->add_flag("--json", command->json, "one JSON object on the standard output, nothing else");
  app->add_flag("--quiet", command->quiet, "no progress");
  command->data.add_to(*app);
  command->threads.add_to(*app);
  command->settings.add_to(*app);
  return {app, [command, app] {
            require_argument(*app, "DATASET", command->data.data);
            return command->run();
          }};
}

}  // namespace glgnn::cli
