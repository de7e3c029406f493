#include <glgnn/error.h>
#include <glgnn/trainer.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/clock.h"
#include "core/parallel.h"
#include "core/rows.h"
#include "kernels/dense.h"
#include "kernels/graph_norm.h"
#include "kernels/paper_training.h"
#include "modules/kinds.h"
#include "modules/module.h"
#include "modules/soft_labels.h"
#include "network/fuse.h"
#include "train/checkpoint.h"
#include "train/resources.h"
#include "train/trainers.h"

namespace glgnn {
namespace {

[[noreturn]] void refuse(ErrorKind kind, const std::string& text) { throw Error(kind, text); }

std::vector<int32_t> labels_of(const Problem& problem, const std::vector<int32_t>& rows) {
  std::vector<int32_t> labels;
  for (const int32_t row : rows) labels.push_back(problem.labels[row]);
  return labels;
}

}  // namespace

void set_loss(EpochReport& report, const LossTerms& loss) {
  report.loss = loss.total();
  report.loss_graph = loss.graph;
  report.loss_entropy = loss.entropy;
  report.loss_decay = loss.decay;
  if (std::isfinite(report.loss)) return;
  refuse(ErrorKind::kData, "training broke down in epoch " + std::to_string(report.epoch) +
                               ": found a loss that is not finite, expected a number; scale the "
                               "features (scaling = standard) or lower learning_rate");
}

bool runs_whole_epochs(const Features& features, bool has_graph, const Config& config) {
  constexpr int64_t kMostModules = 8, kMostPairs = (int64_t{1} << 31) - 1;
  const bool graph_fits = !has_graph || config.given_graph != GivenGraph::kUnion;
  const bool network_fits = config.aggregation == Aggregation::kMean &&
                            config.attention == Attention::kPerRow && config.alpha_mean &&
                            config.network_weight == NetworkWeight::kMatrix;
  return config.similarity == Similarity::kDot && !config.diagonal && !config.sample_neighbours &&
         (config.rescale == Rescale::kSumK || config.rescale == Rescale::kSumOne) &&
         config.hop_form == HopForm::kShells && config.hops > 0 && graph_fits &&
         config.last_graph == LastGraph::kSecond && config.symmetrise == Symmetrise::kMean &&
         config.refresh == 1 && !config.bias && !config.feature_graph && network_fits &&
         !config.select_non_negative && config.eval_labels == EvalLabels::kZero &&
         config.modules <= kMostModules && features.rows() * config.k < kMostPairs;
}

namespace {

std::vector<float> train_weights(const Problem& problem) {
  const auto rows = static_cast<double>(problem.train.size());
  std::vector<double> of_class(problem.classes, 1.0);
  if (problem.classes_alike) {
    of_class = balanced_class_weights(problem.labels, problem.train, problem.classes);
  }
  std::vector<float> weights;
  for (const int32_t row : problem.train) {
    weights.push_back(static_cast<float>(of_class[problem.labels[row]] / rows));
  }
  return weights;
}

// `weights` are of the training rows.
PaperTask task_of(const Problem& problem, const Config& config, const Inputs& inputs,
                  const std::vector<float>& weights) {
  PaperTask task{
      .labels = problem.labels,
      .train = problem.train,
      .val = problem.val,
      .train_weights = weights,
      .classes = problem.classes,
      .modules = config.modules,
      .hidden = config.hidden,
      .k = config.k,
      .hops = config.hops,
      .row_sum = config.rescale == Rescale::kSumK ? static_cast<float>(config.k) : 1.0f,
      .shrink = 1.0f / std::sqrt(static_cast<float>(inputs.temperature())),
      .first_weight = inputs.first_weight(),
      .second_weight = inputs.second_weight(),
      .hide = static_cast<float>(config.label_hide),
      .dropout = static_cast<float>(config.dropout),
      .graph_weight = static_cast<float>(config.mu1 / static_cast<double>(config.modules) /
                                         static_cast<double>(inputs.rows())),
      .entropy_weight = static_cast<float>(config.mu2),
      .decay = static_cast<float>(config.weight_decay),
      .decay_second = config.decay_on == DecayOn::kAll,
      .hops_stay = problem.graph && config.given_graph == GivenGraph::kAlways,
      .learning_rate = config.learning_rate,
      .seed = config.seed};
  if (inputs.is_sparse()) {
    task.x_pattern = inputs.x_pattern().view();
    task.x_values = inputs.x().data();
    task.x_by_column = inputs.x_by_column().view();
  } else {
    task.x = inputs.x().view();
  }
  return task;
}

// A' of a graph in slots.
Csr normalised(const PaperGraph& graph, int64_t k, int threads) {
  Pattern pattern;
  std::vector<float> a;
  pattern.rows = pattern.cols = std::ssize(graph.count);
  for (int64_t i = 0; i < pattern.rows; ++i) {
    const int64_t begin = i * k, end = begin + graph.count[i];
    pattern.col.insert(pattern.col.end(), graph.col.begin() + begin, graph.col.begin() + end);
    a.insert(a.end(), graph.weights.begin() + begin, graph.weights.begin() + end);
    pattern.row_ptr.push_back(pattern.nnz());
  }
  const SymmetricUnion both = symmetric_union(pattern.view(), threads);
  Csr out{std::make_shared<Pattern>(both.pattern()), std::vector<float>(both.pattern().nnz())};
  std::vector<float> roots(pattern.rows);
  cpu::symmetric_norm_forward(out.values.data(), roots.data(), a.data(), both, SymmetricForm::kMean,
                              threads);
  return out;
}

class PaperTrainer {
 public:
  PaperTrainer(const Problem& problem, const Config& config, const Context& context)
      : problem_(problem),
        config_(config),
        threads_(context.threads),
        on_device_(context.device == Device::kCuda &&
                   runs_whole_epochs(*problem.features, problem.graph != nullptr, config)),
        model_(problem, config, context),
        keeps_buffers_(problem.features->rows() < kRowsWorthReleasing),
        training_tape_(context, true),
        evaluation_tape_(context, false),
        state_{.estimate = {labels_of(problem, problem.val), config.seed}} {}

  TrainState& state() { return state_; }

  EpochReport run_epoch() {
    EpochReport report;
    report.epoch = state_.epoch + 1;
    report.epochs = config_.epochs;
    const bool choose = state_.epoch % config_.refresh == 0;
    if (on_device_) {
      run_on_device(report);
    } else {
      train({true, static_cast<uint32_t>(state_.epoch), choose}, report);
      evaluate({false, static_cast<uint32_t>(state_.epoch), choose}, report);
    }
    ++state_.epoch;
    report.seconds = seconds_since(start_);
    state_.history.push_back(report);
    return report;
  }

  void save(const std::string& path) {
    if (held_) fetch_model();
    fetch_best();
    save_checkpoint(path, state_, model_, problem_, config_);
  }
  void load(const std::string& path) { load_checkpoint(path, state_, model_, problem_, config_); }

  // How accurate that model is on rows that did not choose its epoch.
  Estimate estimate(const Context& context) const {
    if (problem_.val.empty()) return {};
    return state_.estimate.result(problem_.classes,
                                  baseline_answers(problem_, *problem_.features, context));
  }

  // The model of the best epoch; the caller adds the names.
  Model result() {
    fetch_best();
    Model model;
    model.config = config_;
    model.train = problem_.train;
    model.val = problem_.val;
    model.history = state_.history;
    model.best_epoch = state_.best.epoch;
    model.probabilities = state_.best.probabilities;
    model.network = state_.best.network;
    columns_.clear();
    auto value = state_.best.parameters.cbegin();  // in the order of GlGnn::parameters()
    for (int64_t m = 0; m < config_.modules; ++m) {
      FittedModule& module = model.modules.emplace_back(fitted_module(m, value));
      module.weight = model.network[config_.modules][m];
    }
    for (const Parameter* p : model_.network().parameters()) {
      model.parameters.push_back({p->name, *value++});
    }
    for (size_t m = 0; m < columns_.size(); ++m) {
      model.parameters.push_back({"module" + std::to_string(m) + ".columns", columns_[m]});
    }
    model.fused_graph = fuse_graphs(model.modules, threads_);
    return model;
  }

 private:
  // The values of its parameters are the next ones.
  FittedModule fitted_module(int64_t m, std::vector<Matrix>::const_iterator& value) {
    FittedModule out;
    out.kind = "paper";
    out.graph = state_.best.module_graphs[m];
    out.probabilities = state_.best.module_probabilities[m];
    out.val_accuracy = validation_accuracy(out.probabilities, problem_);
    PaperState state;
    SubModule& module = model_.modules()[m];
    const Matrix *pairs = nullptr, *shares = nullptr;
    for (const Parameter* p : module.parameters()) {
      const Matrix& learned = *value++;
      if (p == &module.selection())
        out.selection.assign(learned.data(), learned.data() + learned.size());
      else if (p == &module.first_weights())
        state.w1 = learned;
      else if (p == &module.second_weights())
        state.w2 = learned;
      else if (p == &module.first_bias())
        state.b1 = learned;
      else if (p == &module.second_bias())
        state.b2 = learned;
      else if (p == &module.column_pairs())
        pairs = &learned;
      else if (p == &module.column_shares())
        shares = &learned;
      else
        state.v = learned;
    }
    if (pairs) columns_.push_back(module.settle_columns(*pairs, *shares, state.w1));
    out.state = std::make_shared<const ModuleState>(std::move(state));
    return out;
  }

  // Training and evaluation; the model and the best epoch stay there until they are wanted.
  void run_on_device(EpochReport& report) {
    if (!held_) hold_model();
    const PaperLosses found = held_->run_epoch(answers_.view());
    set_loss(report, {found.graph, found.entropy, found.decay});
    judge(answers_, found.val_entropy, report);
    if (!report.best) return;
    held_->keep();
    best_is_held_ = true;
    state_.best.epoch = report.epoch;
    state_.best.val_accuracy = report.val_accuracy;
  }

  void hold_model() {
    PaperNumbers start;
    for (const Parameter* p : model_.parameters()) {
      const auto add = [](std::vector<float>& to, const Matrix& from) {
        to.insert(to.end(), from.data(), from.data() + from.size());
      };
      add(start.value, p->value);
      add(start.mean, p->mean);
      add(start.square, p->square);
    }
    std::vector<PatternView> hops;
    for (const SubModule& module : model_.modules()) {
      if (module.hop_graph().rows() > 0) hops.push_back(module.hop_graph().pattern->view());
    }
    const std::vector<float> weights = train_weights(problem_);
    held_ = std::make_unique<cuda::HeldPaper>(task_of(problem_, config_, model_.inputs(), weights),
                                              start, hops, state_.epoch);
    answers_ = Matrix(model_.inputs().rows(), problem_.classes);
  }

  // As checkpoints want it.
  void fetch_model() {
    const PaperNumbers now = held_->numbers();
    int64_t at = 0;
    for (Parameter* p : model_.parameters()) {
      std::copy_n(now.value.data() + at, p->value.size(), p->value.data());
      std::copy_n(now.mean.data() + at, p->value.size(), p->mean.data());
      std::copy_n(now.square.data() + at, p->value.size(), p->square.data());
      at += p->value.size();
    }
    if (problem_.graph && config_.given_graph == GivenGraph::kAlways) return;
    const std::vector<PaperGraph> graphs = held_->second_graphs();
    for (size_t m = 0; m < graphs.size(); ++m) {
      model_.modules()[m].set_hop_graph(normalised(graphs[m], config_.k, threads_));
    }
  }

  void fetch_best() {
    if (!best_is_held_) return;
    best_is_held_ = false;
    PaperEvaluation kept = held_->kept();
    BestEpoch& best = state_.best;
    best.parameters.clear();
    const float* from = kept.parameters.data();
    for (const Parameter* p : model_.parameters()) {
      Matrix& value = best.parameters.emplace_back(p->value.rows(), p->value.cols());
      std::copy_n(from, value.size(), value.data());
      from += value.size();
    }
    best.probabilities = std::move(kept.probabilities);
    best.network = std::move(kept.network);
    best.module_probabilities = std::move(kept.predictions);
    best.module_graphs.clear();
    for (const PaperGraph& graph : kept.graphs) {
      best.module_graphs.push_back(normalised(graph, config_.k, threads_));
    }
  }

  void train(const Pass& pass, EpochReport& report) {
    Tape& tape = training_tape_;
    const GlGnnOutput out = model_.forward(tape, pass);
    const LossTerms loss = model_.loss(tape, out);
    set_loss(report, loss);
    tape.backward();
    for (Parameter* p : model_.parameters()) {
      const int64_t cost = 8 * p->value.size();  // roots and quotients
      for_row_ranges(p->value.size(), cost, tape.threads(), [&](int64_t begin, int64_t end) {
        ref::adam_step(p->value.data() + begin, p->mean.data() + begin, p->square.data() + begin,
                       p->grad.data() + begin, end - begin, config_.learning_rate, report.epoch);
        std::fill(p->grad.data() + begin, p->grad.data() + end, 0.0f);
      });
    }
    model_.finish_step();
    model_.finish_epoch(out, pass.choose);
    tape.clear(keeps_buffers_);
  }

  void evaluate(const Pass& pass, EpochReport& report) {
    Tape& tape = evaluation_tape_;
    const GlGnnOutput out = model_.forward(tape, pass);
    const Var logits = out.network.logits;
    const Matrix& probabilities = *row_softmax(tape, logits).value;
    double val_loss = 0;
    if (!problem_.val.empty()) {
      val_loss = cross_entropy(tape, logits, problem_.val, problem_.labels, 0.0f);
    }
    judge(probabilities, val_loss, report);
    if (report.best) keep(out, probabilities, report);
    tape.clear(keeps_buffers_);
  }

  // Reads the rows of train and val.
  void judge(const Matrix& probabilities, double val_loss, EpochReport& report) {
    report.train_accuracy = accuracy(probabilities, problem_.labels, problem_.train);
    if (!problem_.val.empty()) {
      report.val_accuracy = validation_accuracy(probabilities, problem_);
      report.val_loss = val_loss;
      state_.estimate.see(validation_rows(probabilities, problem_));
    }
    report.best = is_best(report);
  }

  // On a tie the later epoch: it has learned more. Without validation rows it is always one.
  bool is_best(const EpochReport& report) const {
    return problem_.val.empty() || report.val_accuracy >= state_.best.val_accuracy;
  }

  void keep(const GlGnnOutput& out, const Matrix& probabilities, const EpochReport& report) {
    BestEpoch& best = state_.best;
    best.epoch = report.epoch;
    best.val_accuracy = report.val_accuracy;
    best.parameters.clear();
    for (const Parameter* p : model_.parameters()) best.parameters.push_back(p->value);
    best.probabilities = probabilities;
    best.network = *out.network.network.value;
    best.module_graphs.clear();
    best.module_probabilities.clear();
    for (const SubModuleOutput& module : out.modules) {
      best.module_graphs.push_back(to_csr(module.graph));
      best.module_probabilities.push_back(*module.prediction.value);
    }
  }

  const Problem& problem_;
  const Config& config_;
  int threads_;
  bool on_device_;
  GlGnn model_;
  std::unique_ptr<cuda::HeldPaper> held_;  // from the first epoch on, where the device runs them
  std::vector<Matrix> columns_;            // of each module: column, other column, share
  Matrix answers_;                         // of that: rows of train and val
  bool best_is_held_ = false;
  bool keeps_buffers_;
  Tape training_tape_, evaluation_tape_;
  TrainState state_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

FitResult fit_paper(const Problem& problem, const Config& config, const Context& context,
                    const FitOptions& options) {
  // Below this the threads cost more to wake than they save; the bits are the same.
  constexpr int64_t kRowsWorthThreads = 500;
  const bool alone = problem.features->rows() < kRowsWorthThreads;
  PaperTrainer trainer(problem, config, context.with_threads(alone ? 1 : context.threads));
  if (options.resume) trainer.load(options.checkpoint);
  Clock::time_point saved = Clock::now();
  bool interrupted = false;
  while (trainer.state().epoch < config.epochs && !interrupted) {
    const EpochReport report = trainer.run_epoch();
    interrupted = options.on_epoch && !options.on_epoch(report);
    const bool due = interrupted || report.epoch == config.epochs ||
                     seconds_since(saved) >= options.checkpoint_seconds;
    if (due && !options.checkpoint.empty()) {
      trainer.save(options.checkpoint);
      saved = Clock::now();
    }
  }
  FitResult result{trainer.result(), interrupted && trainer.state().epoch < config.epochs};
  if (!result.interrupted) result.model.estimate = trainer.estimate(context);
  return result;
}

}  // namespace glgnn
