#include <glgnn/error.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "core/check.h"
#include "core/clock.h"
#include "dist/hand_out.h"
#include "modules/module.h"
#include "network/fuse.h"
#include "network/weights.h"
#include "train/checkpoint.h"
#include "train/folds.h"
#include "train/pool.h"
#include "train/resources.h"
#include "train/time_left.h"
#include "train/trainers.h"

namespace glgnn {
namespace {

constexpr double kNoValue = -1e300;

std::vector<double> mean_row(const Matrix& p, const std::vector<int32_t>& rows, double sharpness) {
  std::vector<double> mean(static_cast<size_t>(p.cols()), 0.0);
  std::vector<float> said(mean.size());
  for (const int32_t row : rows) {
    std::copy_n(p[row], p.cols(), said.begin());
    sharpen(said.data(), p.cols(), sharpness);
    for (size_t c = 0; c < mean.size(); ++c) mean[c] += said[c];
  }
  for (double& value : mean) value /= static_cast<double>(std::max<size_t>(1, rows.size()));
  return mean;
}

class PoolTrainer {
 public:
  // `keeps_stages`: other folds may choose a stage that this one would not.
  PoolTrainer(const Problem& problem, std::vector<ModuleSpec> specs, bool keeps_stages,
              SharedInputs& shared, const Config& config, const Context& context,
              const FitOptions& options, Ranks& ranks)
      : problem_(problem),
        keeps_stages_(keeps_stages),
        config_(config),
        context_(context),
        options_(options),
        ranks_(ranks),
        shared_(shared),
        specs_(std::move(specs)),
        modules_(specs_.size()),
        made_(specs_.size()) {
    if (specs_.empty()) {
      throw Error(ErrorKind::kUsage,
                  "the settings leave out every module of this kind of data; switch spread_heads, "
                  "prototype_heads, gnn_heads, landmark_heads, tree_heads or prior_heads on");
    }
  }

  // What the candidates said of the validation rows.
  HeldBack held_back() {
    HeldBack held;
    held.is_drawn = problem_.val_is_drawn;
    if (problem_.val.empty()) return held;
    for (const int32_t row : problem_.val) held.labels.push_back(problem_.labels[row]);
    const std::vector<int32_t> others = rows_without_label(problem_);
    held.others = std::ssize(others);
    for (ModuleResult& candidate : candidates_) {
      held.stages.push_back(
          {.looks = std::move(candidate.looks),
           .handicap = handicap_of(candidate.spec,
                                   std::holds_alternative<LayersOptions>(candidate.spec.kind),
                                   shared_, context_),
           .is_taught = candidate.spec.after_network,
           .group = candidate.spec.group,
           .family = candidate.spec.family,
           .is_sharpened = problem_.graph && keeps_stages_ &&
                           std::holds_alternative<SpreadOptions>(candidate.spec.kind)});
    }
    parallel_for(std::ssize(candidates_), context_.threads, 1, [&](int64_t c) {
      HeldBackStage& stage = held.stages[c];
      for (size_t s = 0; s < stage.choices(); ++s) {
        stage.others.push_back(mean_row(candidates_[c].stage.p, others, kSharpness[s]));
      }
    });
    held.baseline =
        baseline_.valid() ? baseline_.get() : baseline_answers(problem_, shared_, context_);
    return held;
  }

  // False if it was interrupted.
  bool run() {
    if (options_.resume) {
      load_modules(options_.checkpoint, modules_, problem_, config_, shared_);
    }
    for (size_t m = 0; m < specs_.size(); ++m) {
      if (!modules_[m]) continue;
      name_stages(*modules_[m], m);
      report(m);
    }
    run_modules(false);
    // Beside trained layers on a GPU, which leave the processor time for it.
    if (context_.device == Device::kCuda && !problem_.val.empty()) {
      baseline_ = std::async(std::launch::async | std::launch::deferred,
                             [&] { return baseline_answers(problem_, shared_, context_); });
    }
    const bool has_second = !specs_.empty() && specs_.back().after_network;
    if (!stopped_ && has_second) {
      if (ranks_.leads()) learn_start();
      share_start();
      run_modules(true);
    }
    // With folds there is more to come; else the model follows at once.
    if (stopped_ || keeps_stages_ || seconds_since(saved_) >= options_.checkpoint_seconds) save();
    if (stopped_) return false;
    if (!ranks_.leads()) return true;
    list_candidates();
    return true;
  }

  // The network that the validation rows choose where there is one fold.
  NetworkWeights network() const { return weights_by_validation(candidates_, problem_, config_); }

  // The model of the candidates that the network has for members, with what each counts by
  // validation. The last thing that is asked: they go into it.
  Model result(const NetworkWeights& by_validation) {
    for (size_t r = 0; r < by_validation.sharpness.size(); ++r) {
      Matrix& p = candidates_[by_validation.members[r]].stage.p;
      for (int64_t i = 0; i < p.rows(); ++i) sharpen(p[i], p.cols(), by_validation.sharpness[r]);
    }
    const NetworkWeights network = weigh_by_agreement(by_validation, candidates_, context_.threads);
    Model model;
    model.config = config_;
    model.train = problem_.train;
    model.val = problem_.val;
    model.probabilities = fuse_predictions(candidates_, network, context_.threads);
    model.modules.resize(network.members.size());
    const Context inside = context_.with_threads(1);
    parallel_for(std::ssize(model.modules), context_.threads, 1, [&](int64_t r) {
      ModuleResult& candidate = candidates_[network.members[r]];
      const int64_t place = line_of(candidate.spec);
      FittedModule& module = model.modules[r];
      module = finish_module(std::move(candidate), problem_, shared_, inside);
      module.weight = static_cast<float>(network.weights[r]);
      module.line = place;
    });
    ++done_;
    EpochReport line =
        score_line(model.probabilities, validation_score(model.probabilities, problem_));
    line.best = true;
    history_.push_back(line);
    tell(line);  // nothing asks the device any more
    model.history = history_;
    model.best_epoch = done_;
    const auto beside = [](auto&& work) {
      return std::async(std::launch::async | std::launch::deferred, work);
    };
    std::future<Matrix> network_matrix =
        beside([&] { return relation_of(model.modules, model.probabilities, context_.threads); });
    auto views = beside([&] { return shared_.fitted_views(views_read(model.modules)); });
    model.fused_graph = fuse_graphs(model.modules, context_.threads);
    model.network = network_matrix.get();
    model.views = views.get();
    return model;
  }

 private:
  // Of the history, which lists the modules in their order.
  int64_t line_of(const ModuleSpec& spec) const {
    return std::ranges::find(specs_, spec.number, &ModuleSpec::number) - specs_.begin();
  }

  // Those that come before the network of graphs, or those after it.
  void run_modules(bool after_network) {
    Job job;
    job.pieces = left_to_run(after_network);
    const ThreadShares shares =
        share_among_modules(*problem_.features, context_, std::ssize(job.pieces));
    std::future<void> graphs;
    if (context_.device == Device::kCuda) graphs = make_shared_inputs(job.pieces);
    job.threads = shares.modules;
    job.make = [&](int64_t m) {
      const bool is_landmarks = std::holds_alternative<LandmarkOptions>(specs_[m].kind);
      made_[m] = run(specs_[m], is_landmarks ? shares.landmarks : shares.inside,
                     after_network ? &start_from_ : nullptr);
      return true;
    };
    job.pack = [&](int64_t m) {
      std::string bytes = module_bytes(m, made_, problem_, config_);
      made_[m].reset();
      return bytes;
    };
    job.unpack = [&](int64_t m, const std::string& bytes) {
      take_module(bytes, made_, problem_, config_, shared_);
      name_stages(*made_[m], m);
    };
    job.finished = [&](int64_t m) {
      modules_[m] = std::move(made_[m]);
      report(m);
      if (seconds_since(saved_) >= std::max(options_.checkpoint_seconds, save_after_)) save();
    };
    job.keep = [&] { save(); };
    job.stopped = [&] { return stopped_; };
    hand_out(ranks_, job);
    if (graphs.valid()) graphs.get();
  }

  // Here, because the modules have one thread each: first what views learn, then the inputs. Graphs
  // are made beside them and beside the modules that read rows alone.
  std::future<void> make_shared_inputs(const std::vector<int64_t>& pieces) {
    std::set<View> views, inputs;
    for (const int64_t m : pieces) {
      const ModuleSpec& spec = specs_[m];
      views.insert(spec.views.begin(), spec.views.end());
      if (!std::holds_alternative<SpreadOptions>(spec.kind)) inputs.insert(spec.input);
    }
    for (const auto* list : {&views, &inputs}) {
      for (const View view : *list) {
        if (directions_kept(view) == 0) shared_.learn(view);
      }
    }
    std::vector<SharedInputs::GraphWish> wishes;
    for (const int64_t m : pieces) wishes.push_back({specs_[m].views, specs_[m].graph});
    std::future<void> graphs = shared_.make_graphs_beside(std::move(wishes), context_);
    for (const View view : inputs) shared_.view(view);
    return graphs;
  }

  // In their own order; where several ranks take them the longest first, so that none is left to
  // one rank at the end.
  std::vector<int64_t> left_to_run(bool after_network) const {
    std::vector<int64_t> left;
    for (size_t m = 0; m < specs_.size(); ++m) {
      if (specs_[m].after_network == after_network && !modules_[m]) {
        left.push_back(static_cast<int64_t>(m));
      }
    }
    const auto seconds = [&](int64_t m) { return expected_seconds(describe(specs_[m]), problem_); };
    if (ranks_.count() > 1) std::ranges::stable_sort(left, std::greater{}, seconds);
    // It takes the longest: nobody should wait for it at the end.
    std::ranges::stable_partition(
        left, [&](int64_t m) { return std::holds_alternative<PriorOptions>(specs_[m].kind); });
    // A GPU leaves landmarks to the processor: they would be the last to end. What needs a graph
    // waits for it.
    const auto turn = [&](int64_t m) {
      const KindOptions& kind = specs_[m].kind;
      if (std::holds_alternative<LandmarkOptions>(kind)) return 0;
      if (std::holds_alternative<PriorOptions>(kind)) return 0;
      const auto* gaussian = std::get_if<GaussianOptions>(&kind);
      const auto* layers = std::get_if<LayersOptions>(&kind);
      const bool reads_rows_alone =
          (gaussian && !gaussian->start_by_spreading && gaussian->smoothing.steps == 0) ||
          (layers && layers->training.steps == 0);
      if (layers && !reads_rows_alone) return 1;  // the longest of the rest
      return reads_rows_alone ? 2 : 3;
    };
    if (context_.device == Device::kCuda) std::ranges::stable_sort(left, {}, turn);
    return left;
  }

  // What no file holds.
  void name_stages(std::vector<ModuleResult>& stages, size_t m) const {
    for (ModuleResult& stage : stages) stage.spec = specs_[m];
  }

  std::vector<ModuleResult> run(const ModuleSpec& spec, const Context& context,
                                const ModuleStart* start) {
    if (keeps_stages_) return run_stages(spec, problem_, shared_, context, start);
    return {run_module(spec, problem_, shared_, context, start)};
  }

  void learn_start() {
    // Lent for the call: to copy what they say of all rows takes longer than to learn from it.
    std::vector<ModuleResult*> lenders;
    std::vector<ModuleResult> before;
    for (size_t m = 0; m < specs_.size(); ++m) {
      if (specs_[m].after_network) continue;
      std::vector<ModuleResult>& stages = *modules_[m];
      lenders.push_back(&stages[static_cast<size_t>(&best_stage(stages) - stages.data())]);
      before.push_back(std::move(*lenders.back()));
    }
    const NetworkWeights network = weights_by_validation(before, problem_, config_);
    start_from_ = {fuse_predictions(before, network, context_.threads),
                   fuse_selections(before, network)};
    for (size_t m = 0; m < before.size(); ++m) *lenders[m] = std::move(before[m]);
  }

  // What rank 0 has learned, to the others.
  void share_start() {
    if (ranks_.count() == 1) return;
    const std::string p =
        ranks_.share(letter_of(start_from_.p.data(), static_cast<size_t>(start_from_.p.size())));
    const std::string selection = ranks_.share(letter_of(start_from_.selection));
    if (ranks_.leads()) return;
    start_from_ = {Matrix(problem_.features->rows(), problem_.classes),
                   Letter(selection).take_rest<float>()};
    GLGNN_ASSERT(p.size() == start_from_.p.size() * sizeof(float));
    std::memcpy(start_from_.p.data(), p.data(), p.size());
  }

  // One line of the log for each module, in the order in which they finish.
  void report(size_t m) { tell(next_line(best_stage(*modules_[m]))); }

  EpochReport next_line(const ModuleResult& module) {
    ++done_;
    EpochReport line = score_line(module.stage.p, module.score);
    line.best = module.score.value() > best_value_;
    if (line.best) best_value_ = module.score.value();
    return line;
  }

  // The history lists the modules in their own order, which is the same for any number of threads.
  void list_candidates() {
    done_ = 0;
    best_value_ = kNoValue;
    for (auto& stages : modules_) {
      history_.push_back(next_line(best_stage(*stages)));
      std::move(stages->begin(), stages->end(), std::back_inserter(candidates_));
    }
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
    constexpr double kWorkOfASave = 20;  // a checkpoint takes a twentieth of the time at the most
    const auto begin = Clock::now();
    save_modules(options_.checkpoint, modules_, problem_, config_);
    saved_ = Clock::now();
    save_after_ = kWorkOfASave * seconds_since(begin);
  }

  const Problem& problem_;
  bool keeps_stages_;
  const Config& config_;
  const Context& context_;
  const FitOptions& options_;
  Ranks& ranks_;
  SharedInputs& shared_;
  std::vector<ModuleSpec> specs_;
  DoneModules modules_;
  DoneModules made_;  // by any thread; what is finished has its place in modules_
  std::vector<ModuleResult> candidates_;  // all stages of all modules
  ModuleStart start_from_;
  std::future<Matrix> baseline_;  // where it is made beside the modules
  std::vector<EpochReport> history_;
  int64_t done_ = 0;
  double best_value_ = kNoValue;
  double save_after_ = 0;  // seconds until the next checkpoint, at the least
  bool stopped_ = false;
  Clock::time_point start_ = Clock::now(), saved_ = Clock::now();
};

}  // namespace

FitResult fit_pool(const Problem& problem, const Config& config, const Context& context,
                   const FitOptions& options, Ranks& ranks) {
  const std::vector<Problem> folds = draw_folds(problem, config);
  // What no label changes is made once for all folds.
  SharedInputs shared(*problem.features, problem.graph, context);
  if (folds.size() == 1) {
    const std::vector<ModuleSpec> specs = pool_of_folds(folds, config, context.threads);
    PoolTrainer trainer(problem, specs, false, shared, config, context, options, ranks);
    if (!trainer.run()) return {Model{}, true};
    if (!ranks.leads()) return {};
    const std::vector<HeldBack> held{trainer.held_back()};
    const NetworkWeights network = trainer.network();
    Model model =
        trainer.result(choose_together(held)
                           ? networks_of_folds(held, problem, std::ssize(network.members)).front()
                           : network);
    model.tried = names_of(specs);
    model.left_out = problem.left_out;
    judge_model(model, held, problem, std::ssize(model.modules), config);
    return {std::move(model), false};
  }
  const Config of_fold = fold_config(config, static_cast<int64_t>(folds.size()));
  const int64_t lines = planned_epochs(problem, config, context.threads);
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
  std::deque<PoolTrainer> trainers;
  std::vector<HeldBack> held;
  const std::vector<ModuleSpec> specs = pool_of_folds(folds, of_fold, context.threads);
  std::deque<FitOptions> of_folds;
  int64_t before = 0;
  for (size_t f = 0; f < folds.size(); ++f) {
    FitOptions& of_this = of_folds.emplace_back(options);
    of_this.checkpoint = fold_checkpoint(options.checkpoint, f);
    of_this.resume = options.resume && std::filesystem::exists(of_this.checkpoint);
    // Not the fold's network, its last line: all modules of all folds make one.
    of_this.on_epoch = [&](const EpochReport& line) {
      return line.epoch == line.epochs || tell(line, before);
    };
    PoolTrainer& trainer =
        trainers.emplace_back(folds[f], specs, true, shared, of_fold, context, of_this, ranks);
    if (!trainer.run()) return {Model{}, true};
    if (ranks.leads()) held.push_back(trainer.held_back());
    before += std::ssize(specs);
  }
  if (!ranks.leads()) return {};
  const std::vector<NetworkWeights> networks = networks_of_folds(held, problem, of_fold.members);
  std::vector<Model> models;
  for (size_t f = 0; f < folds.size(); ++f) {
    models.push_back(trainers.front().result(networks[f]));
    trainers.pop_front();
  }
  Model joined = join_folds(std::move(models), folds, problem, config);
  joined.views = shared.fitted_views(views_read(joined.modules));
  joined.tried = names_of(specs);
  joined.left_out = problem.left_out;
  judge_model(joined, held, problem, of_fold.members, config);
  joined.history.back().seconds = seconds_since(start);
  tell(joined.history.back(), 0);
  for (size_t f = 1; f < folds.size(); ++f) {
    std::filesystem::remove(fold_checkpoint(options.checkpoint, f));
  }
  return {std::move(joined), false};
}

}  // namespace glgnn
