// glgnn fit: from a person's data to a model file.
#include <fmt/core.h>
#include <glgnn/error.h>
#include <glgnn/trainer.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "api/over_ranks.h"
#include "commands.h"
#include "core/available_memory.h"
#include "core/cuda/device.h"
#include "data/data.h"
#include "data/message.h"
#include "describe.h"
#include "model/walk.h"
#include "output_files.h"
#include "prepare.h"
#include "progress.h"
#include "ranks.h"
#include "report/machine.h"
#include "report/page.h"
#include "report/text_file.h"
#include "report/training_log.h"
#include "scores.h"
#include "setting_options.h"
#include "start.h"
#include "text.h"
#include "threads.h"
#include "train/checkpoint.h"
#include "train/trainers.h"

namespace glgnn::cli {
namespace {

constexpr size_t kKeyFeatures = 5;
constexpr int64_t kReportedRows = 20'000;  // above, `glgnn report` writes a sample when asked

// What the training will do.
struct Plan {
  int64_t steps = 0, folds = 1;
  int64_t validating = 0;  // rows

  int64_t in_turn() const { return folds > 1 ? validating : 0; }
};

struct FitCommand {
  DataOptions data;
  SettingOptions settings;
  ThreadOption threads;
  std::string out, from, probabilities;
  bool resume = false, restart = false, quiet = false, no_report = false, rows_over_ranks = false;
  std::vector<std::string> arguments;

  int run() const;

 private:
  int run_over_rows() const;
  template <class... Args>
  void say(fmt::format_string<Args...> text, Args&&... args) const {
    if (quiet) return;
    fmt::print(text, std::forward<Args>(args)...);
    std::fflush(stdout);
  }

  void say_what_was_found(const Dataset& dataset, const Split& split, const Config& config,
                          const Plan& plan) const;
  void say_what_is_needed(int64_t bytes, const Config& config, const Plan& plan,
                          const Context& context) const;
  void say_how_to_resume(const OutputFiles& files, const EpochReport& last) const;
  void say_result(const Model& model) const;
  bool wants_report(int64_t rows) const;
  void write_report(const Model& model, const OutputFiles& files) const;
};

// What one step of the training is called.
const char* step_word(const Config& config) {
  return config.mode == Mode::kBest ? "module" : "epoch";
}

Plan make_plan(const Problem& problem, const Config& config, int threads) {
  return {.steps = planned_epochs(problem, config, threads),
          .folds = planned_folds(problem, config),
          .validating = planned_validation(problem, config)};
}

std::string fold_words(int64_t folds) {
  return folds > 1 ? fmt::format(" in {} folds", folds) : "";
}

std::string graph_words(const Dataset& dataset) {
  return dataset.has_graph ? "graph of " + counted(dataset.graph.nnz() / 2, "edge") : "no graph";
}

void FitCommand::say_what_was_found(const Dataset& dataset, const Split& split,
                                    const Config& config, const Plan& plan) const {
  say("{}, {}, {}\n", data_sentence(dataset, config), split_sentence(split, plan.in_turn()),
      graph_words(dataset));
  for (const auto& note : dataset.notes) say("note: {}\n", note);
  for (const auto& note : split_notes(dataset, split, config.mode)) say("note: {}\n", note);
  const std::string unbalanced = balance_note(dataset, split, config);
  if (!unbalanced.empty()) say("note: {}\n", unbalanced);
}

void FitCommand::say_what_is_needed(int64_t bytes, const Config& config, const Plan& plan,
                                    const Context& context) const {
  const auto available = available_memory();
  say("needs about {} of memory{}; {}, {}, {}\n", memory_text(bytes),
      available ? ", " + memory_text(*available) + " available" : "", device_text(context),
      counted(context.threads, "thread"), simd_target());
  if (config.mode == Mode::kBest) {
    say("mode best, {} to try{}, seed {}\n", counted(plan.steps - 1, "module"),
        fold_words(plan.folds), config.seed);
    if (config.folds > plan.folds) {
      say("note: --folds {}: the labels that validate make {}; a smaller --val-fraction makes "
          "more\n",
          config.folds, counted(plan.folds, "fold"));
    }
    return;
  }
  say("mode {}, {}, k {}, {}, seed {}\n", get_setting(config, "mode"),
      counted(config.modules, "module"), config.k, counted(config.epochs, "epoch"), config.seed);
}

void FitCommand::say_how_to_resume(const OutputFiles& files, const EpochReport& last) const {
  auto again = arguments;
  if (!resume) again.push_back("--resume");
  fmt::print(stderr, "stopped after {} {} of {}; {} holds the state\ncontinue with: {}\n",
             step_word(settings.config()), last.epoch, last.epochs, files.checkpoint.string(),
             shell_words(again));
}

void FitCommand::say_result(const Model& model) const {
  const Paint paint(stdout);
  const auto test = labelled_rows(model.labels, model.test);
  const EpochReport best = best_epoch(model);
  std::string validation;
  if (const auto judged = static_cast<int64_t>(validated_rows(model).size()); judged > 0) {
    const std::string kept =
        model.config.mode == Mode::kBest
            ? fmt::format("the best {} of {}", counted(kept_modules(model), "module"),
                          best.epochs - 1)
            : fmt::format("epoch {}", best.epoch);
    const bool balanced = model.config.class_weights == ClassWeights::kBalanced;
    validation = fmt::format("validation {}accuracy {}   ({}; it chose {}, so it flatters)",
                             balanced ? "balanced " : "", percent(best.val_accuracy),
                             counted(judged, "row") + fold_words(model.folds), kept);
  }
  if (!test.empty()) {
    const double part = accuracy(model.probabilities, model.labels, test);
    const auto correct = std::llround(part * static_cast<double>(test.size()));
    const ConfusionMatrix confusion = test_confusion(model);
    say("{}   ({} of {})   macro-F1 {}\n", paint.bold("test accuracy " + percent(part)), correct,
        test.size(), percent(macro_f1(confusion)));
    if (!quiet) print_class_table(confusion, model.class_names);
  } else {
    bool first = true;
    for (const std::string& sentence : estimate_sentences(model)) {
      say("{}\n", std::exchange(first, false) ? paint.bold(sentence) : sentence);
    }
  }
  if (!validation.empty()) say("{}\n", validation);
  if (const std::string shares = shares_sentence(model); !shares.empty()) say("{}\n", shares);
  say("network of graphs   {}\n", network_sentence(model));
  say("key features   {}\n", joined(key_features(model, kKeyFeatures), ", "));
}

bool FitCommand::wants_report(int64_t rows) const {
  return !no_report && has_page() && rows <= kReportedRows;
}

// The last line, and the report before it where there shall be one.
void FitCommand::write_report(const Model& model, const OutputFiles& files) const {
  if (!wants_report(model.probabilities.rows())) {
    say("wrote {} (model) and {} (log)\n", files.model.string(), files.log.string());
    return;
  }
  write_text_file(files.report, report_page(model, threads.context()));
  say("wrote {} (model), {} (log) and {} (report)\n", files.model.string(), files.log.string(),
      files.report.string());
}

Json log_header(const Dataset& dataset, const Split& split, const Config& config, const Plan& plan,
                const Context& context) {
  Json header = {{"event", "start"}};
  header.update(program_json(context));
  header["time"] = utc_time();
  header["data"] = data_json(dataset, split);
  if (plan.folds > 1) {
    header["data"]["train"] = split.train.size() + split.val.size();
    header["data"]["val"] = plan.validating;
    header["data"]["folds"] = plan.folds;
  }
  header["settings"] = settings_json(config);
  return header;
}

Json log_end(const Model& model, double seconds, const OutputFiles& files) {
  const EpochReport best = best_epoch(model);
  const auto test = labelled_rows(model.labels, model.test);
  Json end = {{"event", "end"}, {"time", utc_time()}, {"best_epoch", model.best_epoch}};
  end["val_accuracy"] = validated_rows(model).empty() ? Json(nullptr) : Json(best.val_accuracy);
  end["test_accuracy"] =
      test.empty() ? Json(nullptr) : Json(accuracy(model.probabilities, model.labels, test));
  end.update(estimate_json(model));
  end["macro_f1"] = test.empty() ? Json(nullptr) : Json(macro_f1(test_confusion(model)));
  end["test_rows"] = test.size();
  end["graph_weights"] = module_weights(model);
  end["seconds"] = seconds;
  end["peak_memory_mb"] = peak_memory_mb();
  end["model"] = files.model.string();
  return end;
}

// Many numbers that others keep for us, so that the trainer does not change them: the disk can have
// them while the model is trained.
bool is_worth_beginning(const Features& features) {
  constexpr int64_t kMany = 1 << 22;
  return features.dense.is_shared() && features.dense.size() >= kMany;
}

bool same_features(const Features& a, const Features& b) {
  if (a.is_sparse != b.is_sparse || a.rows() != b.rows() || a.cols() != b.cols()) return false;
  if (!a.is_sparse)
    return std::equal(a.dense.data(), a.dense.data() + a.dense.size(), b.dense.data());
  return a.sparse.values == b.sparse.values && a.sparse.pattern->col == b.sparse.pattern->col &&
         a.sparse.pattern->row_ptr == b.sparse.pattern->row_ptr;
}

// What need not be tried again, because it did worse in an earlier model of the same rows.
std::vector<std::string> left_out_by(const std::string& path, const Dataset& dataset,
                                     const Config& config) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::kUsage, path + ": " + what + "; leave out --from to start anew");
  };
  const Model earlier = load_model(path);
  if (config.mode != Mode::kBest || earlier.config.mode != Mode::kBest) {
    refuse("--from is for best mode, found a model or settings of paper mode");
  }
  if (earlier.tried.empty()) refuse("it does not say which modules were tried");
  if (!same_features(earlier.features, dataset.features)) {
    refuse("it was fitted on other rows or columns; only labels may have changed");
  }
  return less_promising(earlier);
}

// By rows that ranks own there is no model: it would hold all of them.
int FitCommand::run_over_rows() const {
  for (const auto& [option, is_given] :
       {std::pair("--out", !out.empty()), std::pair("--from", !from.empty())}) {
    if (!is_given) continue;
    throw Error(ErrorKind::kUsage, fmt::format("found --rows-over-ranks with {}, expected it alone "
                                               "with --probabilities; leave out one of them",
                                               option));
  }
  return fit_rows(
      {data, settings.config(), threads.context(), probabilities, quiet, resume, restart});
}

int FitCommand::run() const {
  if (rows_over_ranks) return run_over_rows();
  if (!probabilities.empty()) {
    throw Error(ErrorKind::kUsage,
                "--probabilities: expected with --rows-over-ranks alone; glgnn predict writes "
                "those of a model");
  }
  const Context asked = threads.context();
  if (asked.device == Device::kCuda) keep_freed_memory();
  // A GPU that is asked for takes a fifth of a second to start: meanwhile the data is read.
  const std::future<void> started = cuda::start_device(asked.device == Device::kCuda);
  Dataset dataset = load_data(data, quiet, asked.threads);
  Config config = settings.config();
  const Split split = choose_split(dataset, data, config.seed);
  config = resolve_settings(config, dataset, split);
  const OutputFiles files =
      output_files(out, dataset.name, {data.data, data.label, data.graph, data.split});
  Problem problem = make_problem(dataset, dataset.features, split, dataset.has_graph);
  if (!from.empty()) {
    problem.left_out = left_out_by(from, dataset, config);
    dataset.notes.push_back(
        "an earlier model chose which modules are tried, by some of the same labels: the estimated "
        "accuracy may be about a point too high (a fit without --from is free of this)");
  }
  const Plan plan = make_plan(problem, config, asked.threads);
  TrainingProgress shown(problem, config, asked.threads);
  const Context context = device_of_training(asked, dataset.features, dataset.has_graph, config);
  say_what_was_found(dataset, split, config, plan);

  const int64_t needed =
      estimate_memory(dataset.features, problem.graph, dataset.classes(), config, context.threads);
  say_what_is_needed(needed, config, plan, context);
  check_memory(needed, config);

  const Json header = log_header(dataset, split, config, plan, context);
  require_same_on_all_ranks(
      facts_of_run(ranks().count() > 1 ? fingerprint(problem) : 0,
                   json_text({{"data", header.at("data")}, {"settings", header.at("settings")}})));
  if (!ranks().leads()) {
    fit_dataset_over_ranks(std::move(dataset), split, config, context, {}, ranks());
    return 0;
  }

  const LockFile lock(files.model);
  check_checkpoint(files.checkpoint, resume, restart);
  TrainingLog log(files.log, resume ? TrainingLog::Start::kContinue : TrainingLog::Start::kNew,
                  header);
  const InterruptGuard interrupt;
  Progress progress(plan.steps, quiet);
  EpochReport last{.epochs = plan.steps};
  const bool ends_device = context.device == Device::kCuda && !wants_report(dataset.rows());
  const auto on_epoch = [&](const EpochReport& report) {
    last = report;
    log.epoch(report);
    // The last line of best mode: what follows is done by the processor.
    const bool is_last = config.mode == Mode::kBest && report.epoch == report.epochs;
    if (is_last && ends_device) cuda::end_device();
    progress.update(shown.state_after(report));
    return !interrupt.interrupted();
  };
  const SharedPattern given = dataset.graph.pattern;
  std::optional<BegunModel> begun;
  if (config.mode == Mode::kBest && is_worth_beginning(dataset.features)) {
    begun.emplace(dataset.features, files.model.string());
  }
  FitResult result = fit_dataset_over_ranks(std::move(dataset), split, config, context,
                                            {.on_epoch = on_epoch,
                                             .checkpoint = files.checkpoint.string(),
                                             .resume = resume,
                                             .left_out = problem.left_out},
                                            ranks());
  progress.finish();
  if (result.interrupted) {
    log.event({{"event", "interrupted"}, {"epoch", last.epoch}, {"time", utc_time()}});
    say_how_to_resume(files, last);
    return interrupt.exit_status();
  }

  Model& model = result.model;
  if (begun) {
    begun->save(model);
  } else {
    save_model(model, files.model.string());
  }
  std::filesystem::remove(files.checkpoint);
  log.event(log_end(model, last.seconds, files));
  say_result(model);
  if (model.config.mode == Mode::kBest && given->rows > 0) {
    const std::string edges = given_edges_sentence(*given, model);
    if (!edges.empty()) say("{}\n", edges);
    say("new rows      expect less on rows that are not in this table: they have no given edges\n");
  }
  write_report(model, files);
  return 0;
}

}  // namespace

Command add_fit(CLI::App& program, std::vector<std::string> arguments) {
  const auto command = std::make_shared<FitCommand>();
  command->arguments = std::move(arguments);
  CLI::App* app = program.add_subcommand("fit", "train on your data and write a model file");
  app->add_option("DATA", command->data.data,
                  "a shipped dataset, a folder in their layout, a file (csv, tsv, npy, npz, svm, "
                  "mtx), or - for "
                  "the standard input")
      ->type_name("");
  command->data.add_to(*app);
  app->add_option(
         "--graph", command->data.graph,
         "graph file (edge list, npy, mtx, graphml), or none; default: the data's own, if any")
      ->type_name("FILE|none");
  app->add_option("--run", command->data.run, "which of the splits that come with the data (0)")
      ->type_name("N");
  app->add_option("--out", command->out, "model file to write (NAME.glgnn); the log goes beside it")
      ->type_name("PATH");
  app->add_option("--from", command->from,
                  "model of the same rows with fewer labels: only modules that did well in it are "
                  "tried")
      ->type_name("MODEL");
  auto* resume =
      app->add_flag("--resume", command->resume, "continue an interrupted run, to the same bits");
  app->add_flag("--restart", command->restart, "discard an interrupted run and begin anew")
      ->excludes(resume);
  app->add_flag(
      "--rows-over-ranks", command->rows_over_ranks,
      "paper mode on a .npy file or a table of numbers of which each rank of mpirun reads "
      "and holds its own rows; writes --probabilities, no model");
  app->add_option("--probabilities", command->probabilities,
                  "with --rows-over-ranks: the probabilities of every row, N x classes")
      ->type_name("FILE.npy");
  app->add_flag("--no-report", command->no_report, "do not write the HTML report (NAME.html)");
  app->add_flag("--quiet", command->quiet, "print errors only");
  command->threads.add_to(*app);
  command->threads.add_device_to(*app);
  command->settings.add_to(*app);
  return {app,
          [command, app] {
            require_argument(*app, "DATA", command->data.data);
            return command->run();
          },
          true};
}

}  // namespace glgnn::cli
