#include "evaluation.h"

#include <fmt/format.h>
#include <glgnn/error.h>
#include <glgnn/metrics.h>
#include <glgnn/new_rows.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/archive.h"
#include "core/available_memory.h"
#include "core/clock.h"
#include "data/data.h"
#include "data/text_rows.h"
#include "describe.h"
#include "dist/hand_out.h"
#include "evaluation_result.h"
#include "methods/methods.h"
#include "prepare.h"
#include "report/machine.h"
#include "setting_options.h"
#include "train/checkpoint.h"
#include "train/resources.h"

namespace glgnn::cli {
namespace {

// Every combination, the last choice changing fastest.
std::vector<Assignments> combinations(const std::vector<Choice>& choices) {
  std::vector<Assignments> all(1);
  for (const auto& choice : choices) {
    std::vector<Assignments> longer;
    for (const auto& start : all) {
      for (const auto& value : choice.values) {
        longer.push_back(start);
        longer.back().emplace_back(choice.name, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

bool is_better(const Trial& a, const Trial& b) {
  if (a.val_accuracy != b.val_accuracy) return a.val_accuracy > b.val_accuracy;
  return a.val_loss < b.val_loss;
}

// Mean over the validation rows; 0 without any.
double log_loss(const Matrix& p, const Problem& problem) {
  double sum = 0;
  for (const int32_t row : problem.val) {
    sum -= std::log(std::max(1e-12, double{p[row][problem.labels[static_cast<size_t>(row)]]}));
  }
  return problem.val.empty() ? 0 : sum / static_cast<double>(problem.val.size());
}

// Of the rows themselves a few copies, and what is kept for each pair.
int64_t method_memory(const Dataset& dataset, const Method& method) {
  const Features& x = dataset.features;
  const int64_t numbers = x.is_sparse ? 3 * x.sparse.nnz() : x.rows() * x.cols();
  return 4 * (3 * numbers + x.rows() * x.rows() * method.all_pairs);
}

std::vector<MethodValues> drawn_for(const Question& question, const std::vector<Choice>& choices) {
  GivenValues given;
  for (const Choice& choice : choices) {
    std::vector<double> values;
    for (const auto& text : choice.values) {
      if (double value = 0; parse_number(text, value)) {
        values.push_back(value);
        continue;
      }
      throw Error(ErrorKind::kUsage,
                  fmt::format("--choose {}: found \"{}\", expected numbers with commas between "
                              "them, as in --choose {}=0.1,1",
                              choice.name, text, choice.name));
    }
    given.emplace_back(choice.name, std::move(values));
  }
  return draw_settings(*question.method, question.budget, given);
}

}  // namespace

Choice parse_choice(const std::string& text) {
  const auto [name, list] = split_assignment(text, "--choose");
  if (name == "seed") {
    throw Error(ErrorKind::kUsage,
                "--choose seed: picking the luckiest seed is no choice of a setting; use --runs");
  }
  Choice choice{name, {}};
  for (size_t start = 0; start <= list.size();) {
    const size_t end = std::min(list.find(',', start), list.size());
    choice.values.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return choice;
}

std::vector<RunPlan> plan_runs(const Dataset& dataset, size_t count, uint64_t seed) {
  std::vector<RunPlan> plans;
  if (dataset.splits_are_seeds) {
    for (size_t run = 0; run < count; ++run) plans.push_back({dataset.splits[0], seed + run});
  } else {
    for (const auto& split : dataset.splits) {
      if (plans.size() < count) plans.push_back({split, seed});
    }
  }
  return plans;
}

Evaluation::Evaluation(const Dataset& dataset, std::vector<RunPlan> plans, const Config& config,
                       const std::vector<Choice>& choices, const Question& question)
    : dataset_(dataset),
      plans_(std::move(plans)),
      config_(resolve_settings(config, dataset)),
      question_(question) {
  if (question_.method) {
    for (MethodValues& values : drawn_for(question_, choices)) {
      Assignments assignments;
      for (const auto& [name, value] : values)
        assignments.emplace_back(name, fmt::format("{}", value));
      trials_.push_back({std::move(assignments), config_, std::move(values)});
    }
    return;
  }
  for (auto& assignments : combinations(choices)) {
    Config tried = config;
    for (const auto& [name, value] : assignments) set_setting(tried, name, value);
    for (const auto& [name, value] : assignments) check_mode_reads(tried, name);
    const Config resolved = resolve_settings(tried, dataset);
    trials_.push_back({std::move(assignments), resolved, {}, tried});
  }
  for (size_t run = 0; run < plans_.size(); ++run) {
    const Scaling scaling = resolve_settings(config, dataset, plans_[run].split).scaling;
    if (run == 0) config_.scaling = scaling;
    if (scaling != config_.scaling) config_.scaling = Scaling::kAuto;
  }
}

int64_t Evaluation::total_epochs() const {
  if (question_.method) return static_cast<int64_t>(plans_.size() * trials_.size());
  int64_t epochs = 0;
  for (const auto& plan : plans_) {
    for (const auto& trial : trials_) {
      Problem problem = make_problem(dataset_, dataset_.features, plan.split, question_.with_graph);
      if (question_.noise > 0) problem.graph = &dataset_.graph;  // which one does not matter
      epochs += planned_epochs(problem, trial.config);
    }
  }
  return epochs;
}

int64_t Evaluation::memory_needed() const {
  if (question_.method) return method_memory(dataset_, *question_.method);
  int64_t most = 0;
  for (const auto& trial : trials_) {
    most = std::max(
        most, estimate_memory(dataset_.features, question_.with_graph ? &dataset_.graph : nullptr,
                              dataset_.classes(), trial.config));
  }
  return most;
}

const Features& Evaluation::scaled(Scaling scaling) {
  const std::scoped_lock lock(scaled_mutex_);
  const auto [entry, is_new] = scaled_.try_emplace(scaling);
  if (is_new) {
    entry->second = dataset_.features;
    scale_features(entry->second, scaling);
  }
  return entry->second;
}

uint64_t Evaluation::fingerprint_of(size_t run) const {
  const auto& [split, seed] = plans_[run];
  Problem all = make_problem(dataset_, dataset_.features, split, question_.with_graph);
  all.labels = dataset_.labels;
  const uint64_t sum =
      fnv1a(split.test.data(), split.test.size() * sizeof(int32_t), fingerprint(all));
  return fnv1a(&seed, sizeof seed, sum);
}

int Evaluation::runs_at_once(const Context& context, size_t left) const {
  // Best mode spreads the modules of a run over the threads.
  const bool paper = std::ranges::all_of(
      trials_, [](const Planned& trial) { return trial.config.mode == Mode::kPaper; });
  if (!paper) return 1;
  const auto wanted = static_cast<int64_t>(
      std::min(left, static_cast<size_t>(share_threads(dataset_.features, context).modules)));
  // Few runs would leave most threads without one: those share the rows of a single run instead.
  if (2 * wanted < context.threads) return 1;
  const int64_t needed = std::max<int64_t>(1, memory_needed());
  const int64_t fitting = available_memory().value_or(needed) / needed;
  return static_cast<int>(std::clamp<int64_t>(fitting, 1, std::max<int64_t>(1, wanted)));
}

bool Evaluation::run_all(std::vector<std::optional<RunResult>>& results, const Context& context,
                         Ranks& ranks, const OnEpoch& on_epoch, const OnRun& on_run) {
  int64_t done = 0;
  std::vector<int64_t> left;
  const auto count_epochs = [&](const RunResult& result) {
    for (const Trial& trial : result.trials) done += question_.method ? 1 : trial.epochs;
  };
  for (size_t run = 0; run < runs(); ++run) {
    if (results[run])
      count_epochs(*results[run]);
    else if (!only_ || run == *only_)
      left.push_back(static_cast<int64_t>(run));
  }
  const size_t share = (left.size() + ranks.count() - 1) / ranks.count();
  const int at_once = runs_at_once(context, share);
  const Context inside = context.with_threads(at_once > 1 ? 1 : context.threads);
  std::mutex mutex;
  bool stopped = false;
  Job job;
  job.pieces = std::move(left);
  job.threads = at_once;
  job.make = [&](int64_t run) {
    RunResult result;
    const auto on_trial_epoch = [&](size_t trial, const EpochReport& report) {
      const std::scoped_lock lock(mutex);
      if (!on_epoch(run, trial, ++done, report)) stopped = true;
      return !stopped;
    };
    try {
      if (!this->run(run, inside, on_trial_epoch, result)) return false;
    } catch (...) {
      const std::scoped_lock lock(mutex);
      stopped = true;  // the runs beside it, too
      throw;
    }
    const std::scoped_lock lock(mutex);
    results[run] = std::move(result);
    return true;
  };
  job.pack = [&](int64_t run) { return json_text(run_json(run, *results[run], *this)); };
  job.unpack = [&](int64_t run, const std::string& bytes) {
    const std::scoped_lock lock(mutex);
    results[run] = run_of(Json::parse(bytes), *this);
    count_epochs(*results[run]);
    const Trial& kept = results[run]->best();
    const EpochReport last{.loss = kept.val_loss, .val_accuracy = kept.val_accuracy, .best = true};
    if (!on_epoch(run, trials_.size() - 1, done, last)) stopped = true;
  };
  job.finished = [&](int64_t run) {
    const std::scoped_lock lock(mutex);
    on_run(run);
  };
  job.stopped = [&] {
    const std::scoped_lock lock(mutex);
    return stopped;
  };
  hand_out(ranks, job);
  return std::ranges::all_of(results, [](const auto& result) { return result.has_value(); });
}

Evaluation::Seen Evaluation::seen_by(size_t run) const {
  const auto& [split, seed] = plans_[run];
  if (question_.hide == 0) return {.split = split};
  HiddenRows rows = hide_rows(split, dataset_.rows(), question_.hide, seed + run);
  return {take_rows(dataset_, rows.kept), std::move(rows.split), std::move(rows.hidden)};
}

Features Evaluation::kept_features(const Seen& seen, Scaling scaling) const {
  Features features = seen.kept.features;
  scale_features(features, scaling);
  return features;
}

// The hidden rows come as new ones to the finished model.
void Evaluation::judge_hidden(RunResult& result, Model& best, const Seen& seen, Scaling scaling,
                              const Context& context) const {
  Features hidden = take_rows(dataset_.features, seen.hidden);
  apply_scale(hidden, learn_scale(seen.kept.features, scaling));
  Dataset kept = seen.kept;
  scale_features(kept.features, scaling);
  keep_data(best, std::move(kept), seen.split);
  const Matrix p = NewRowPredictor(best, context).predict(hidden, 0).probabilities;
  std::vector<int32_t> labels, rows;
  for (size_t r = 0; r < seen.hidden.size(); ++r) {
    labels.push_back(dataset_.labels[static_cast<size_t>(seen.hidden[r])]);
    if (labels.back() >= 0) rows.push_back(static_cast<int32_t>(r));
  }
  result.hidden = static_cast<int64_t>(rows.size());
  result.hidden_accuracy = accuracy(p, labels, rows);
}

Evaluation::Fitted Evaluation::fit_trial(
    const Planned& planned, const Problem& problem, uint64_t seed, const Context& context,
    const std::function<bool(const EpochReport&)>& on_epoch) const {
  Fitted fitted{.trial = {.assignments = planned.assignments}, .model = {}};
  if (question_.method) {
    MethodAnswer answer = question_.method->fit({problem, planned.values, seed, context});
    fitted.trial.val_accuracy =
        problem.val.empty() ? 0 : accuracy(answer.probabilities, problem.labels, problem.val);
    fitted.trial.val_loss = log_loss(answer.probabilities, problem);
    fitted.trial.best_epoch = answer.best_epoch;
    fitted.trial.epochs = answer.epochs;
    fitted.model.probabilities = std::move(answer.probabilities);
    fitted.model.fused_graph = std::move(answer.graph);
    fitted.interrupted = !on_epoch({.epoch = 1,
                                    .epochs = 1,
                                    .loss = fitted.trial.val_loss,
                                    .val_accuracy = fitted.trial.val_accuracy,
                                    .best = true});
    return fitted;
  }
  Config config = planned.config;
  config.seed = seed;
  FitOptions options;
  options.on_epoch = on_epoch;
  FitResult result = fit(problem, config, context, options);
  fitted.interrupted = result.interrupted;
  if (result.interrupted) return fitted;
  fitted.model = std::move(result.model);
  const EpochReport kept = best_epoch(fitted.model);
  fitted.trial.val_accuracy = kept.val_accuracy;
  fitted.trial.val_loss = kept.val_loss;
  fitted.trial.best_epoch = kept.epoch;
  fitted.trial.epochs = kept.epochs;
  fitted.trial.tried = config.mode == Mode::kBest ? kept.epochs - 1 : 0;
  return fitted;
}

bool Evaluation::run(size_t run, const Context& context, const OnTrialEpoch& on_epoch,
                     RunResult& result) {
  const uint64_t seed = plans_[run].seed;
  const Seen seen = seen_by(run);
  const Dataset& data = question_.hide > 0 ? seen.kept : dataset_;
  const Split& split = seen.split;
  result = {.commit = commit()};
  Model best;
  NoisyGraph noisy;
  Csr both_ways;  // best mode and the rivals read a graph without directions
  if (question_.noise > 0) {
    noisy = add_noise_edges(question_.with_graph ? &dataset_.graph : nullptr, dataset_.rows(),
                            question_.noise, seed + run);
    both_ways = undirected(noisy.graph);
  }
  std::vector<Scaling> scaling_of;  // each trial
  for (size_t t = 0; t < trials_.size(); ++t) {
    Planned trial = trials_[t];
    Config& config = trial.config;
    if (!question_.method) {
      config.scaling = resolve_settings(trial.given, data, split).scaling;
    }
    scaling_of.push_back(config.scaling);
    const Features not_hidden =
        question_.hide > 0 ? kept_features(seen, config.scaling) : Features{};
    Problem problem = make_problem(data, question_.hide > 0 ? not_hidden : scaled(config.scaling),
                                   split, question_.with_graph);
    if (question_.noise > 0) {
      const bool reads_directions = !question_.method && config.mode == Mode::kPaper;
      problem.graph = reads_directions ? &noisy.graph : &both_ways;
    }
    const auto start = Clock::now();
    Fitted fitted = fit_trial(trial, problem, seed, context,
                              [&](const EpochReport& report) { return on_epoch(t, report); });
    if (fitted.interrupted) return false;
    fitted.trial.seconds = seconds_since(start);
    result.seconds += fitted.trial.seconds;
    result.trials.push_back(std::move(fitted.trial));
    if (t == 0 || is_better(result.trials[t], result.best())) {
      result.chosen = t;
      best = std::move(fitted.model);
    }
  }
  if (question_.noise > 0) {
    result.noise = judge_edges(noisy, question_.with_graph, best.fused_graph, data.labels);
  }
  best.feature_names = data.feature_names;
  if (question_.convergence) result.curves = convergence_curves(best);
  if (question_.deletion) {
    const Problem problem =
        make_problem(data, scaled(scaling_of[result.chosen]), split, question_.with_graph);
    result.curves.merge(deletion_curves(best, problem, data.labels,
                                        labelled_rows(data.labels, split.test), seed, context));
  }
  if (question_.planted > 0 && !question_.method) {
    result.column_auc = judge_columns(feature_weights(best), question_.planted);
  }
  // The last step, and the only one that sees test labels.
  result.test_accuracy =
      accuracy(best.probabilities, data.labels, labelled_rows(data.labels, split.test));
  result.macro_f1 = macro_f1(confusion_matrix(predicted_classes(best.probabilities), data.labels,
                                              split.test, data.classes()));
  if (question_.hide > 0) judge_hidden(result, best, seen, scaling_of[result.chosen], context);
  result.peak_memory_mb = peak_memory_mb();
  return true;
}

}  // namespace glgnn::cli
