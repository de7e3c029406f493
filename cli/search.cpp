// glgnn search: modules drawn from a space, the best on validation joined.
#include "train/search.h"

#include <fmt/core.h>
#include <glgnn/error.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "data/message.h"
#include "describe.h"
#include "interrupt.h"
#include "lock_file.h"
#include "prepare.h"
#include "progress.h"
#include "report/machine.h"
#include "report/training_log.h"
#include "resume_log.h"
#include "search_log.h"
#include "search_result.h"
#include "search_task.h"
#include "setting_options.h"
#include "shell_words.h"
#include "threads.h"
#include "words.h"

namespace glgnn::cli {
namespace {

std::optional<Score> better(const std::optional<Score>& a, const Score& b) {
  return a && a->value() >= b.value() ? a : b;
}

struct SearchCommand {
  DataOptions data;
  SettingOptions settings;
  ThreadOption threads;
  SearchOptions search;
  std::string log_file;
  int64_t top = 10;
  bool resume = false, json = false, quiet = false;
  std::vector<std::string> arguments;

  int run();

 private:
  void check_options(const Config& config) const;
  void print_head(const SearchTask& task) const;
  SearchResult run_trials(const SearchTask& task, const Context& context, TrainingLog& log,
                          const InterruptGuard& interrupt);
  void say_how_to_resume(const SearchResult& result, const SearchTask& task) const;
  void print_result(const SearchResult& result, const SearchTask& task,
                    const TestScore& test) const;
  Json result_json(const SearchResult& result, const SearchTask& task, const TestScore& test) const;
};

void SearchCommand::check_options(const Config& config) const {
  if (config.mode != Mode::kBest) {
    throw Error(ErrorKind::kUsage,
                "search draws modules of mode best, and this is mode paper; leave --mode out, or "
                "use `glgnn evaluate --choose`");
  }
  if (config.tuned) {
    throw Error(ErrorKind::kUsage,
                "--tuned is for fit and evaluate: search draws its own modules; "
                "leave it out, and set --trials");
  }
  if (search.trials < 1 || search.trials > kMostTrials) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--trials: found {}, expected a whole number from 1 to {}",
                            search.trials, kMostTrials));
  }
  if (!(search.seconds > 0)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--seconds: found {}, expected a number above 0", search.seconds));
  }
  if (top < 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--top: found {}, expected a whole number from 1", top));
  }
}

void SearchCommand::print_head(const SearchTask& task) const {
  fmt::print("{}, {}; graph {}\n", data_sentence(task.dataset, task.config),
             split_sentence(task.split), task.graph);
  fmt::print("{}{}{}, seed {}\n", counted(search.trials, "trial"),
             search.halving ? ", trained heads in two stages" : "",
             std::isinf(search.seconds) ? "" : ", at most " + duration_text(search.seconds),
             task.config.seed);
  if (!search.known.empty()) {
    fmt::print("{} known from the log\n",
               counted(static_cast<int64_t>(search.known.size()), "score"));
  }
  std::fflush(stdout);
}

void SearchCommand::say_how_to_resume(const SearchResult& result, const SearchTask& task) const {
  auto again = arguments;
  if (!resume) again.push_back("--resume");
  fmt::print(stderr, "stopped after {} of {}; {} holds the scores\ncontinue with: {}\n",
             result.done, counted(search.trials, "trial"), task.log, shell_words(again));
}

void SearchCommand::print_result(const SearchResult& result, const SearchTask& task,
                                 const TestScore& test) const {
  print_ranking(result, top);
  if (result.cut_short) {
    fmt::print("the time was up: {} of {} tried, {} of them in full\n", result.done,
               counted(search.trials, "trial"), result.ranking.size());
  }
  print_joined(result, task.split, test);
  fmt::print("wrote {} (log)\n", task.log);
}

Json SearchCommand::result_json(const SearchResult& result, const SearchTask& task,
                                const TestScore& test) const {
  Json object = {{"dataset", task.dataset.name}, {"graph", task.graph}, {"run", task.run}};
  object["trials"] = search.trials;
  object["halving"] = search.halving;
  object.update(counts_json(result));
  object.update(joined_json(result));
  object["test_accuracy"] = test.rows == 0 ? Json(nullptr) : Json(test.accuracy);
  object["test_rows"] = test.rows;
  object["best"] = ranking_json(result, top);
  object["log"] = task.log;
  object["peak_memory_mb"] = peak_memory_mb();
  object["settings"] = settings_json(task.config);
  return object;
}

SearchResult SearchCommand::run_trials(const SearchTask& task, const Context& context,
                                       TrainingLog& log, const InterruptGuard& interrupt) {
  const int64_t planned = planned_scores(task.problem, task.config, search);
  Progress progress(planned, quiet);
  progress.label("best so far");
  int64_t done = std::min(planned, static_cast<int64_t>(search.known.size()));
  std::optional<Score> best;
  for (const auto& report : search.known) best = better(best, report.score);
  search.on_trial = [&](const TrialReport& report) {
    log.event(trial_json(report));
    best = better(best, report.score);
    progress.update(
        {.done = ++done, .loss = -best->log_likelihood, .val_accuracy = best->accuracy});
    return !interrupt.interrupted();
  };
  SearchResult result = search_modules(task.problem, task.config, context, search);
  result.stopped ? progress.finish() : progress.dismiss();
  return result;
}

int SearchCommand::run() {
  const Config config = settings.config();
  check_options(config);
  SearchTask task;
  prepare_search(task, data, config, log_file);
  const Context context = threads.context();
  check_log_path(task.log, {data.data, data.label, data.split});
  const LockFile lock(task.log, "log", "--log");
  const Json head = search_header(task, search, context);
  if (resume) {
    search.known = read_search_log(task.log, head);
  } else if (std::filesystem::exists(task.log) && !json) {
    fmt::print(
        "note: starting anew; {} of an earlier search is replaced (--resume would continue it)\n",
        task.log);
  }
  if (!json) print_head(task);
  TrainingLog log(task.log, resume ? TrainingLog::Start::kContinue : TrainingLog::Start::kNew, head,
                  "--log");
  if (resume) {
    log.event({{"event", "resumed"}, {"time", utc_time()}, {"known", search.known.size()}});
  }
  const InterruptGuard interrupt;
  const SearchResult result = run_trials(task, context, log, interrupt);
  if (result.stopped) {
    log.event({{"event", "interrupted"}, {"done", result.done}, {"time", utc_time()}});
    say_how_to_resume(result, task);
    return interrupt.exit_status();
  }
  Json end = {{"event", "end"}, {"time", utc_time()}, {"trials", search.trials}};
  end.update(counts_json(result));
  end.update(joined_json(result));
  log.event(end);
  // The last step, and the only one that sees test labels.
  const TestScore test = score_test_rows(result, task.dataset, task.split);
  if (!json) {
    print_result(result, task, test);
    return 0;
  }
  Json object = result_json(result, task, test);
  object.update(program_json(context.threads));
  fmt::print("{}\n", json_text(object));
  return 0;
}

}  // namespace

Command add_search(CLI::App& program, std::vector<std::string> arguments) {
  const auto command = std::make_shared<SearchCommand>();
  command->arguments = std::move(arguments);
  command->data.graph = "unknown";
  CLI::App* app = program.add_subcommand(
      "search", "try modules drawn from a space and join the best on validation");
  app->add_option("DATASET", command->data.data,
                  "a shipped dataset, a folder in their layout, or a file")
      ->type_name("");
  app->add_option("--graph", command->data.graph, "use the set's own graph, or not (unknown)")
      ->type_name("known|unknown");
  app->add_option("--run", command->data.run, "which of the splits that come with the data (0)")
      ->type_name("N");
  app->add_option("--trials", command->search.trials, "how many modules to try (100)")
      ->type_name("N");
  app->add_option("--seconds", command->search.seconds, "begin no trial after this time (no limit)")
      ->type_name("S");
  app->add_flag("--halving", command->search.halving,
                "trained heads first a third as long, and the better third of them in full");
  app->add_option("--log", command->log_file, "JSON-lines log (NAME.search.jsonl)")
      ->type_name("FILE");
  app->add_flag("--resume", command->resume, "go on from the log, with the same result");
  app->add_option("--top", command->top, "how many of the best trials to show (10)")
      ->type_name("N");
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
