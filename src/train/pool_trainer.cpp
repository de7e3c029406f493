#include "train/pool_trainer.h"

#include <glgnn/error.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <optional>

#include "modules/baseline.h"
#include "network/estimate.h"
#include "network/fuse.h"
#include "network/relation.h"
#include "network/weights.h"
#include "train/folds.h"
#include "train/pool.h"
#include "train/pool_checkpoint.h"
#include "train/thread_shares.h"

namespace glgnn {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kNoValue = -1e300;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class PoolTrainer {
 public:
  PoolTrainer(const Problem& problem, SharedInputs& shared, const Config& config,
              const Context& context, const FitOptions& options)
      : problem_(problem),
        config_(config),
        context_(context),
        options_(options),
        shared_(shared),
        specs_(module_pool(look_at(*problem.features, static_cast<int64_t>(problem.train.size()),
                                   problem.classes, problem.graph != nullptr),
                           config)),
        modules_(specs_.size()) {
    if (specs_.empty()) {
      throw Error(ErrorKind::kUsage,
                  "the settings leave out every module of this kind of data; switch spread_heads, "
                  "prototype_heads, gnn_heads or landmark_heads on");
    }
  }

  // What the modules that the network was chosen from said of the validation rows. Those taught by
  // the network are left out: they learned from answers that these labels chose.
  HeldBack held_back() {
    HeldBack held;
    if (problem_.val.empty()) return held;
    for (const int32_t row : problem_.val) held.labels.push_back(problem_.labels[row]);
    for (ModuleResult& module : finished_) {
      if (module.spec.after_network) continue;
      held.modules.push_back(
          {std::move(module.looks), std::holds_alternative<LayersOptions>(module.spec.kind)});
    }
    held.baseline = baseline_answers(problem_, shared_, context_);
    return held;
  }

  FitResult run() {
    if (options_.resume) load_modules(options_.checkpoint, modules_, problem_, config_);
    for (size_t m = 0; m < specs_.size(); ++m) {
      if (!modules_[m]) continue;
      modules_[m]->spec = specs_[m];  // the checkpoint does not hold it
      report(m);
    }
    run_modules(false);
    const bool has_second = !specs_.empty() && specs_.back().after_network;
    if (!stopped_ && !failure_ && has_second) {
      learn_start();
      run_modules(true);
    }
    if (failure_) std::rethrow_exception(failure_);
    save();
    if (stopped_) return {Model{}, true};
    finish_report();
    return {result(), false};
  }

 private:
  // Those that come before the network of graphs, or those after it.
  void run_modules(bool after_network) {
    const ThreadShares shares = share_threads(*problem_.features, context_);
    const auto run_one = [&](int64_t m) {
      bool skip = specs_[m].after_network != after_network;
      if (skip) return;
#pragma omp critical(glgnn_pool_trainer)
      skip = stopped_ || failure_ || modules_[m].has_value();
      if (skip) return;
      try {
        ModuleResult module = run_module(specs_[m], problem_, shared_, shares.inside,
                                         after_network ? &start_from_ : nullptr);
#pragma omp critical(glgnn_pool_trainer)
        keep(m, std::move(module));
      } catch (...) {
#pragma omp critical(glgnn_pool_trainer)
        failure_ = std::current_exception();
      }
    };
    run_side_by_side(static_cast<int64_t>(specs_.size()), shares.modules, run_one);
  }

  // Called in a critical section, which no exception may leave: a full disk stops log and
  // checkpoint.
  void keep(int64_t m, ModuleResult module) {
    try {
      modules_[m] = std::move(module);
      report(m);
      if (seconds_since(saved_) >= std::max(options_.checkpoint_seconds, save_after_)) save();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void learn_start() {
    std::vector<ModuleResult> before;
    for (size_t m = 0; m < specs_.size(); ++m) {
      if (!specs_[m].after_network) before.push_back(*modules_[m]);
    }
    const NetworkWeights network = weights_by_validation(before, problem_, config_);
    start_from_ = {fuse_predictions(before, network), fuse_selections(before, network)};
  }

  // One line of the log for each module, in the order in which they finish.
  void report(size_t m) { tell(next_line(*modules_[m])); }

  EpochReport next_line(const ModuleResult& module) {
    ++done_;
    EpochReport line = score_line(module.stage.p, module.score);
    line.best = module.score.value() > best_value_;
    if (line.best) best_value_ = module.score.value();
    return line;
  }

  // The last line: the network of graphs. The history lists the modules in their own order, which
  // is the same for any number of threads.
  void finish_report() {
    done_ = 0;
    best_value_ = kNoValue;
    for (auto& module : modules_) {
      history_.push_back(next_line(*module));
      finished_.push_back(std::move(*module));
    }
    network_ = weights_by_validation(finished_, problem_, config_);
    fused_ = fuse_predictions(finished_, network_);
    ++done_;
    EpochReport line = score_line(fused_, validation_score(fused_, problem_));
    line.best = true;
    history_.push_back(line);
    tell(line);
  }

  EpochReport score_line(const Matrix& p, const Score& score) const {
    EpochReport line;
    line.epoch = done_;
    line.epochs = static_cast<int64_t>(specs_.size()) + 1;
    line.val_accuracy = score.accuracy;
    line.val_loss = line.loss = -score.log_likelihood;
    line.train_accuracy = accuracy(p, problem_.labels, problem_.train);
    line.seconds = seconds_since(start_);
    return line;
  }

  void tell(const EpochReport& line) {
    if (options_.on_epoch && !options_.on_epoch(line)) stopped_ = true;
  }

  void save() {
    if (options_.checkpoint.empty()) return;
    constexpr double kWorkOfASave =
        20;  // what is kept grows with the modules: a twentieth of the time
    const auto begin = Clock::now();
    save_modules(options_.checkpoint, modules_, problem_, config_);
    saved_ = Clock::now();
    save_after_ = kWorkOfASave * seconds_since(begin);
  }

  Model result() {
    Model model;
    model.config = config_;
    model.train = problem_.train;
    model.val = problem_.val;
    model.history = history_;
    model.best_epoch = done_;
    model.probabilities = fused_;
    for (size_t r = 0; r < network_.members.size(); ++r) {
      const size_t m = network_.members[r];
      FittedModule& module =
          model.modules.emplace_back(finish_module(finished_[m], problem_, shared_, context_));
      module.weight = static_cast<float>(network_.weights[r]);
      module.line = static_cast<int64_t>(m);
    }
    model.network = relation_of(model.modules, fused_);
    model.fused_graph = fuse_graphs(model.modules);
    model.views = shared_.fitted_views(views_read(model.modules));
    return model;
  }

  const Problem& problem_;
  const Config& config_;
  const Context& context_;
  const FitOptions& options_;
  SharedInputs& shared_;
  std::vector<ModuleSpec> specs_;
  std::vector<std::optional<ModuleResult>> modules_;
  std::vector<ModuleResult> finished_;
  ModuleStart start_from_;
  NetworkWeights network_;
  Matrix fused_;
  std::vector<EpochReport> history_;
  int64_t done_ = 0;
  double best_value_ = kNoValue;
  double save_after_ = 0;  // seconds until the next checkpoint, at the least
  bool stopped_ = false;
  std::exception_ptr failure_;
  Clock::time_point start_ = Clock::now(), saved_ = Clock::now();
};

}  // namespace

FitResult fit_pool(const Problem& problem, const Config& config, const Context& context,
                   const FitOptions& options) {
  const std::vector<Problem> folds = draw_folds(problem, config);
  // What no label changes is made once for all folds.
  SharedInputs shared(*problem.features, problem.graph, context);
  if (folds.size() == 1) {
    PoolTrainer trainer(problem, shared, config, context, options);
    FitResult result = trainer.run();
    if (!result.interrupted) {
      result.model.estimate =
          estimate_accuracy({trainer.held_back()}, problem.classes,
                            static_cast<int64_t>(result.model.modules.size()), config.seed);
    }
    return result;
  }
  const Config of_fold = fold_config(config, static_cast<int64_t>(folds.size()));
  const int64_t lines = planned_epochs(problem, config);
  const auto start = Clock::now();
  const auto tell = [&](EpochReport line, int64_t before) {
    line.epoch += before;
    line.epochs = lines;
    line.seconds = seconds_since(start);
    return !options.on_epoch || options.on_epoch(line);
  };
  for (size_t f = 1; f < folds.size() && !options.resume; ++f) {
    std::filesystem::remove(fold_checkpoint(options.checkpoint, f));
  }
  std::vector<Model> models;
  std::vector<HeldBack> held;
  int64_t before = 0;
  for (size_t f = 0; f < folds.size(); ++f) {
    FitOptions of_this = options;
    of_this.checkpoint = fold_checkpoint(options.checkpoint, f);
    of_this.resume = options.resume && std::filesystem::exists(of_this.checkpoint);
    // Not the fold's network, its last line: all modules of all folds make one.
    of_this.on_epoch = [&](const EpochReport& line) {
      return line.epoch == line.epochs || tell(line, before);
    };
    PoolTrainer trainer(folds[f], shared, of_fold, context, of_this);
    FitResult result = trainer.run();
    if (result.interrupted) return result;
    held.push_back(trainer.held_back());
    before += static_cast<int64_t>(result.model.history.size()) - 1;
    models.push_back(std::move(result.model));
  }
  Model joined = join_folds(std::move(models), folds, problem, config);
  joined.views = shared.fitted_views(views_read(joined.modules));
  joined.estimate = estimate_accuracy(held, problem.classes, of_fold.members, config.seed);
  joined.history.back().seconds = seconds_since(start);
  tell(joined.history.back(), 0);
  for (size_t f = 1; f < folds.size(); ++f) {
    std::filesystem::remove(fold_checkpoint(options.checkpoint, f));
  }
  return {std::move(joined), false};
}

int64_t planned_folds(const Problem& problem, const Config& config) {
  return static_cast<int64_t>(draw_folds(problem, config).size());
}

int64_t planned_epochs(const Problem& problem, const Config& config) {
  if (config.mode == Mode::kPaper) return config.epochs;
  return static_cast<int64_t>(planned_modules(problem, config).size()) + 1;
}

std::vector<std::string> planned_modules(const Problem& problem, const Config& config) {
  DataKind kind = look_at(*problem.features, 0, problem.classes, problem.graph != nullptr);
  std::vector<std::string> modules;
  for (const Problem& fold : draw_folds(problem, config)) {
    kind.labels = static_cast<int64_t>(fold.train.size());
    for (const ModuleSpec& spec : module_pool(kind, config)) modules.push_back(describe(spec));
  }
  return modules;
}

}  // namespace glgnn
