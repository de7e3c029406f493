// glgnn evaluate: test accuracy of a dataset over its splits.
#include <fmt/core.h>
#include <glgnn/error.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "commands.h"
#include "core/archive.h"
#include "data/data.h"
#include "data/message.h"
#include "describe.h"
#include "evaluation.h"
#include "evaluation_result.h"
#include "grow.h"
#include "methods/methods.h"
#include "output_files.h"
#include "prepare.h"
#include "progress.h"
#include "ranks.h"
#include "report/training_log.h"
#include "resume_log.h"
#include "setting_options.h"
#include "start.h"
#include "text.h"
#include "threads.h"
#include "train/trainers.h"

namespace glgnn::cli {
namespace {

constexpr size_t kDefaultRuns = 10;
constexpr int64_t kMostRuns = 10'000;
constexpr int64_t kDefaultBudget = 8;
constexpr double kMostNoiseColumns = 100;

// A rival reads no setting of ours but these.
Json settings_of(const Evaluation& evaluation) {
  const Json all = settings_json(evaluation.config());
  const Question& question = evaluation.question();
  if (!question.method) return all;
  return {{"seed", all.at("seed")}, {"scaling", all.at("scaling")}, {"budget", question.budget}};
}

// Config for a rival: the features are prepared as for paper mode. kUsage for settings of ours.
Config config_of_rival(Config given, const Method& method) {
  for (const Setting& setting : list_settings(given)) {
    const bool shared = setting.name == "seed" || setting.name == "scaling";
    if (shared || setting.value == get_setting({}, setting.name)) continue;
    throw Error(ErrorKind::kUsage,
                fmt::format("--{} is no setting of the method {}; `glgnn methods {}` has its "
                            "settings, which --choose NAME=VALUE sets",
                            setting.name, method.name, method.name));
  }
  given.mode = Mode::kPaper;
  return given;
}

Facts facts_of(const Json& header, const Evaluation& evaluation) {
  uint64_t data = kFnvStart;
  for (size_t run = 0; run < evaluation.runs(); ++run) {
    const uint64_t sum = evaluation.fingerprint_of(run);
    data = fnv1a(&sum, sizeof sum, data);
  }
  Json asked = header;
  for (const char* own : {"time", "threads", "machine"}) asked.erase(own);
  return facts_of_run(data, json_text(asked));
}

struct EvaluateCommand {
  DataOptions data;
  SettingOptions settings;
  ThreadOption threads;
  std::string log_file;
  std::optional<size_t> runs, only_run;
  std::optional<uint64_t> fresh;
  double more_train = 0;
  std::vector<std::string> choices;
  double noise = 0, noise_columns = 0, hide = 0;
  std::string method;
  std::vector<std::string> studies;
  std::optional<int64_t> budget;
  GrowOptions grow;
  bool resume = false, json = false, quiet = false;
  std::vector<std::string> arguments;

  int run() const;

 private:
  Question asked(const Dataset& dataset, const Config& config, bool known, int64_t planted) const;
  int run_growth(const Dataset& dataset, const Config& config, bool known) const;
  std::vector<RunPlan> plans(const Dataset& dataset, uint64_t seed) const;
  Json question_json(const Dataset& dataset, const Evaluation& evaluation) const;
  Json log_header(const Dataset& dataset, const Evaluation& evaluation,
                  const Context& context) const;
  void print_head(const Dataset& dataset, const Evaluation& evaluation) const;
  bool run_all(Evaluation& evaluation, std::vector<std::optional<RunResult>>& results,
               const Context& context, std::optional<TrainingLog>& log,
               const InterruptGuard& interrupt) const;
  std::vector<std::optional<RunResult>> start_log(const Json& header, const Evaluation& evaluation,
                                                  std::optional<TrainingLog>& log) const;
  void say_how_to_resume(size_t done, size_t all) const;
};

std::vector<RunPlan> EvaluateCommand::plans(const Dataset& dataset, uint64_t seed) const {
  const size_t count = runs.value_or(kDefaultRuns);
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

// What is evaluated, as far as it is no setting.
Json EvaluateCommand::question_json(const Dataset& dataset, const Evaluation& evaluation) const {
  return {{"dataset", dataset.name},
          {"graph", data.graph},
          {"method", method.empty() ? Json(nullptr) : Json(method)},
          {"mode", method.empty() ? Json(get_setting(evaluation.config(), "mode")) : Json(nullptr)},
          {"fresh", fresh ? Json(*fresh) : Json(nullptr)},
          {"more_train", more_train},
          {"hide", hide},
          {"noise_columns", noise_columns},
          {"studies", studies}};
}

Json EvaluateCommand::log_header(const Dataset& dataset, const Evaluation& evaluation,
                                 const Context& context) const {
  Json header = {{"event", "start"}, {"command", "evaluate"}, {"time", utc_time()}};
  header.update(program_json(context));
  header.update(question_json(dataset, evaluation));
  header["noise"] = noise;
  header["choices"] = choices;
  header["runs"] = evaluation.runs();
  header["settings"] = settings_of(evaluation);
  return header;
}

void EvaluateCommand::print_head(const Dataset& dataset, const Evaluation& evaluation) const {
  const Config& config = evaluation.config();
  const Method* rival = evaluation.question().method;
  const std::string plan =
      rival ? fmt::format("method {} ({})", rival->name, rival->paper)
      : config.mode == Mode::kBest
          ? std::string("mode best")
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

bool EvaluateCommand::run_all(Evaluation& evaluation,
                              std::vector<std::optional<RunResult>>& results,
                              const Context& context, std::optional<TrainingLog>& log,
                              const InterruptGuard& interrupt) const {
  Progress progress(evaluation.total_epochs(), quiet);
  size_t begun = 0;
  std::map<std::pair<size_t, size_t>, double> best_of;  // validation, by run and trial
  const auto on_epoch = [&](size_t run, size_t trial, int64_t done, const EpochReport& report) {
    begun = std::max(begun, run + 1);
    std::string label = fmt::format("run {}/{}", begun, evaluation.runs());
    if (evaluation.trials_per_run() > 1) {
      label += fmt::format(" choice {}/{}", trial + 1, evaluation.trials_per_run());
    }
    progress.label(std::move(label));
    const auto [best, is_new] = best_of.try_emplace({run, trial}, report.val_accuracy);
    if (report.best) best->second = report.val_accuracy;
    progress.update({.done = done, .loss = report.loss, .val_accuracy = best->second});
    return !interrupt.interrupted();
  };
  // In the order of the runs, although a later one may finish first.
  size_t printed = 0;
  const auto print_finished = [&] {
    progress.clear();
    for (; !json && printed < results.size() && results[printed]; ++printed) {
      print_run(printed, *results[printed]);
    }
  };
  print_finished();
  const auto on_run = [&](size_t run) {
    if (log) log->event(run_json(run, *results[run], evaluation));
    print_finished();
  };
  const bool whole = evaluation.run_all(results, context, ranks(), on_epoch, on_run);
  whole ? progress.dismiss() : progress.finish();
  return whole;
}

// Gives the runs that the log of an earlier call holds.
std::vector<std::optional<RunResult>> EvaluateCommand::start_log(
    const Json& header, const Evaluation& evaluation, std::optional<TrainingLog>& log) const {
  std::vector<std::optional<RunResult>> found(evaluation.runs());
  if (log_file.empty()) {
    if (!resume) return found;
    throw Error(ErrorKind::kUsage, "--resume goes on from a log; name it with --log FILE");
  }
  if (!resume) {
    if (std::filesystem::exists(log_file) && !json) {
      fmt::print("note: starting anew; {} is replaced (--resume would go on from it)\n", log_file);
    }
    log.emplace(log_file, TrainingLog::Start::kNew, header, "--log");
    return found;
  }
  found = read_evaluation_log(log_file, header, evaluation);
  log.emplace(log_file, TrainingLog::Start::kContinue, header, "--log");
  const auto known = std::ranges::count_if(found, [](const auto& run) { return run.has_value(); });
  log->event({{"event", "resumed"}, {"time", utc_time()}, {"known", known}});
  return found;
}

void EvaluateCommand::say_how_to_resume(size_t done, size_t all) const {
  fmt::print(stderr, "stopped after {} of {} runs", done, all);
  if (log_file.empty()) {
    fmt::print(stderr, "; with --log FILE they could be gone on from\n");
    return;
  }
  auto again = arguments;
  if (!resume) again.push_back("--resume");
  fmt::print(stderr, "; {} holds them\ncontinue with: {}\n", log_file, shell_words(again));
}

int EvaluateCommand::run_growth(const Dataset& dataset, const Config& config, bool known) const {
  if (noise > 0 || noise_columns > 0 || hide > 0 || !studies.empty() || fresh || more_train > 0 ||
      resume || !choices.empty() || !log_file.empty() || !data.split.empty() || data.val_fraction) {
    throw Error(ErrorKind::kUsage,
                "--grow draws its own labels and keeps no log; beside it only --step, --rule, "
                "--runs, --test-fraction, --graph, --json, --quiet and settings have a meaning");
  }
  GrowOptions options = grow;
  options.runs = runs.value_or(kDefaultRuns);
  if (data.test_fraction) options.test_fraction = *data.test_fraction;
  if (!(options.test_fraction > 0 && options.test_fraction < 1)) {
    throw Error(ErrorKind::kUsage, fmt::format("--test-fraction: found {}, expected a number above "
                                               "0 and below 1",
                                               options.test_fraction));
  }
  options.with_graph = known;
  options.json = json;
  options.quiet = quiet;
  const Context context =
      device_of_training(threads.context(), dataset.features, known, resolve_auto(config, dataset));
  check_memory(estimate_memory(dataset.features, known ? &dataset.graph : nullptr,
                               dataset.classes(), config),
               config);
  return grow_labels(dataset, config, options, context);
}

Question EvaluateCommand::asked(const Dataset& dataset, const Config& config, bool known,
                                int64_t planted) const {
  Question question{.with_graph = known, .noise = noise, .hide = hide, .planted = planted};
  for (const auto& study : studies) {
    if (study != "convergence" && study != "deletion") {
      throw Error(ErrorKind::kUsage,
                  "--study: found " + quote(study) + ", expected convergence or deletion");
    }
    (study == "deletion" ? question.deletion : question.convergence) = true;
  }
  if (!studies.empty() && (!method.empty() || hide > 0 || config.mode != Mode::kPaper)) {
    throw Error(ErrorKind::kUsage,
                "--study is about a model of paper mode: say --mode paper, without --method and "
                "--hide");
  }
  if (method.empty()) {
    if (budget) throw Error(ErrorKind::kUsage, "--budget is for a rival: name it with --method");
    return question;
  }
  question.method = &method_named(method);
  question.budget = budget.value_or(kDefaultBudget);
  if (question.budget < 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--budget: found {}, expected 1 or more", question.budget));
  }
  if (hide > 0 || !grow.range.empty()) {
    throw Error(ErrorKind::kUsage,
                "--hide and --grow are studies of our own model; leave "
                "them out, or leave out --method");
  }
  if (question.method->needs_graph && !known && noise == 0) {
    throw Error(ErrorKind::kUsage,
                dataset.has_graph
                    ? fmt::format("the method {} needs a graph: say --graph known", method)
                    : fmt::format("the method {} needs a graph, and {} has none; `glgnn methods` "
                                  "says which do without",
                                  method, dataset.name));
  }
  return question;
}

int EvaluateCommand::run() const {
  DataOptions without_graph_file = data;
  without_graph_file.graph.clear();
  const Config given = settings.config();
  if (!(noise_columns >= 0 && noise_columns <= kMostNoiseColumns)) {
    throw Error(ErrorKind::kUsage, fmt::format("--noise-columns: found {}, expected 0 to {}",
                                               noise_columns, kMostNoiseColumns));
  }
  Dataset read = load_data(without_graph_file, quiet);
  const int64_t planted = add_noise_columns(read, noise_columns, given.seed);
  const Dataset dataset = std::move(read);
  const bool known = wants_own_graph(data.graph, dataset);
  if (!grow.range.empty() && method.empty())
    return !ranks().leads() ? 0 : run_growth(dataset, given, known);
  if (!(noise >= 0 && noise < 1)) {
    throw Error(ErrorKind::kUsage, fmt::format("--noise: found {}, expected 0 to below 1", noise));
  }
  if (!(hide >= 0 && hide < 1)) {
    throw Error(ErrorKind::kUsage, fmt::format("--hide: found {}, expected 0 to below 1", hide));
  }
  if (hide > 0 && noise > 0) {
    throw Error(ErrorKind::kUsage, "--hide and --noise are two studies; keep one of them");
  }
  std::vector<Choice> parsed;
  for (const auto& text : choices) {
    parsed.push_back(parse_choice(text));
    if (std::ranges::count(parsed, parsed.back().name, &Choice::name) > 1) {
      throw Error(ErrorKind::kUsage, fmt::format("--choose: found {} twice, expected one list of "
                                                 "its values",
                                                 parsed.back().name));
    }
  }
  const Question question = asked(dataset, given, known, planted);
  const Config config = question.method ? config_of_rival(given, *question.method) : given;
  Evaluation evaluation(dataset, plans(dataset, given.seed), config, parsed, question);
  check_memory(evaluation.memory_needed(), evaluation.config());
  if (only_run && log_file.empty()) {
    throw Error(ErrorKind::kUsage,
                "--only-run: found no --log, expected a file to keep the run in");
  }
  if (only_run && *only_run >= evaluation.runs()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--only-run: found {}, expected 0 to {}, as there are "
                            "{} runs",
                            *only_run, evaluation.runs() - 1, evaluation.runs()));
  }
  if (only_run) evaluation.do_only(*only_run);
  const Context context =
      device_of_training(threads.context(), dataset.features, known, evaluation.config());

  const Json header = log_header(dataset, evaluation, context);
  require_same_on_all_ranks(facts_of(header, evaluation));
  std::optional<LockFile> lock;
  std::optional<TrainingLog> log;
  if (!ranks().leads()) {
    auto none = std::vector<std::optional<RunResult>>(evaluation.runs());
    run_all(evaluation, none, context, log, InterruptGuard());
    return 0;
  }
  if (!log_file.empty()) {
    check_log_path(log_file, {data.data, data.label, data.split});
    lock.emplace(log_file, "log", "--log");
  }
  auto found = start_log(header, evaluation, log);
  if (!json) print_head(dataset, evaluation);

  const InterruptGuard interrupt;
  const bool whole = run_all(evaluation, found, context, log, interrupt);
  std::vector<RunResult> results;
  for (auto& result : found) {
    if (result) results.push_back(std::move(*result));
  }
  if (only_run && !interrupt.interrupted()) return 0;
  if (!whole) {
    if (log) {
      log->event({{"event", "interrupted"}, {"done", results.size()}, {"time", utc_time()}});
    }
    say_how_to_resume(results.size(), evaluation.runs());
    return interrupt.exit_status();
  }
  Json object = question_json(dataset, evaluation);
  if (noise > 0) object["noise"] = noise;
  object.update(results_json(results, noise > 0));
  object["settings"] = settings_of(evaluation);
  object.update(program_json(context));
  object["commit"] = commits_of(results);
  if (log) {
    Json end = {{"event", "end"}, {"time", utc_time()}};
    end.update(object);
    log->event(end);
  }
  json ? fmt::print("{}\n", json_text(object)) : print_summary(results, noise > 0);
  return 0;
}

}  // namespace

Command add_evaluate(CLI::App& program, std::vector<std::string> arguments) {
  const auto command = std::make_shared<EvaluateCommand>();
  command->arguments = std::move(arguments);
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
      ->type_name("N")
      ->check(whole_number(1, kMostRuns));
  app->add_option("--only-run", command->only_run,
                  "do this run alone, from 0, and keep it in --log: others may do the others, and "
                  "--resume joins logs that are put together")
      ->type_name("N")
      ->check(whole_number(0));
  app->add_option("--fresh", command->fresh,
                  "draw new splits of the same sizes with this seed, instead of the set's own")
      ->type_name("SEED")
      ->check(whole_number(0));
  app->add_option("--more-train", command->more_train,
                  "train on this part of the validation rows too, as LDS does with 0.5")
      ->type_name("PART");
  app->add_option("--method", command->method,
                  "run this rival instead of our own model (`glgnn methods` lists them)")
      ->type_name("NAME");
  app->add_option("--budget", command->budget,
                  "with --method: how many of its settings each run tries by validation (8)")
      ->type_name("N");
  app->add_option("--choose", command->choices,
                  "let each run choose a setting by its validation labels; may be repeated")
      ->type_name("NAME=V1,V2,...")
      ->allow_extra_args(false);
  app->add_option(
         "--noise", command->noise,
         "put a wrong edge between any two rows with this probability, and count what is kept")
      ->type_name("P");
  app->add_option("--noise-columns", command->noise_columns,
                  "add columns that say nothing, so many times the data's own, and judge the "
                  "weights of features by them")
      ->type_name("PART");
  app->add_option("--hide", command->hide,
                  "hide this part of all rows (of the test) from training, and predict them as new")
      ->type_name("PART");
  app->add_option("--study", command->studies,
                  "curves in --json: convergence (loss of each epoch), deletion (a plain GCN after "
                  "columns were deleted by their weights)")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_option("--grow", command->grow.range,
                  "learning curve: start with so many labels, and let rules choose more of them")
      ->type_name("FROM:TO");
  app->add_option("--step", command->grow.step, "with --grow: labels between two trainings (10)")
      ->type_name("N");
  app->add_option("--rule", command->grow.rules,
                  "with --grow: how rows are chosen (suggest, random, uncertainty; all three)")
      ->type_name("RULE")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_option("--log", command->log_file, "JSON-lines log, one object for each run")
      ->type_name("FILE");
  app->add_flag("--resume", command->resume, "go on from the log, with the same result");
  app->add_flag("--json", command->json, "one JSON object on the standard output, nothing else");
  app->add_flag("--quiet", command->quiet, "no progress");
  command->data.add_to(*app);
  command->threads.add_to(*app);
  command->threads.add_device_to(*app);
  command->settings.add_to(*app);
  return {app,
          [command, app] {
            require_argument(*app, "DATASET", command->data.data);
            return command->run();
          },
          true};
}

}  // namespace glgnn::cli
