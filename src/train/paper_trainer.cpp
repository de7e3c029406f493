#include <glgnn/error.h>
#include <glgnn/trainer.h>

#include <algorithm>
#include <cmath>

#include "core/clock.h"
#include "core/parallel.h"
#include "kernels/dense.h"
#include "modules/baseline.h"
#include "modules/kinds.h"
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

class PaperTrainer {
 public:
  PaperTrainer(const Problem& problem, const Config& config, const Context& context)
      : problem_(problem),
        config_(config),
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
    train({true, static_cast<uint32_t>(state_.epoch), choose}, report);
    evaluate({false, static_cast<uint32_t>(state_.epoch), choose}, report);
    ++state_.epoch;
    report.seconds = seconds_since(start_);
    state_.history.push_back(report);
    return report;
  }

  void save(const std::string& path) { save_checkpoint(path, state_, model_, problem_, config_); }
  void load(const std::string& path) { load_checkpoint(path, state_, model_, problem_, config_); }

  // How accurate that model is on rows that did not choose its epoch.
  Estimate estimate(const Context& context) const {
    if (problem_.val.empty()) return {};
    return state_.estimate.result(problem_.classes,
                                  baseline_answers(problem_, *problem_.features, context));
  }

  // The model of the best epoch; the caller adds the names.
  Model result() {
    Model model;
    model.config = config_;
    model.train = problem_.train;
    model.val = problem_.val;
    model.history = state_.history;
    model.best_epoch = state_.best.epoch;
    model.probabilities = state_.best.probabilities;
    model.network = state_.best.network;
    auto value = state_.best.parameters.cbegin();  // in the order of GlGnn::parameters()
    for (int64_t m = 0; m < config_.modules; ++m) {
      FittedModule& module = model.modules.emplace_back(fitted_module(m, value));
      module.weight = model.network[config_.modules][m];
    }
    for (const Parameter* p : model_.network().parameters()) {
      model.parameters.push_back({p->name, *value++});
    }
    model.fused_graph = fuse_graphs(model.modules);
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
      else
        state.v = learned;
    }
    out.state = std::make_shared<const ModuleState>(std::move(state));
    return out;
  }

  void train(const Pass& pass, EpochReport& report) {
    Tape& tape = training_tape_;
    const GlGnnOutput out = model_.forward(tape, pass);
    const LossTerms loss = model_.loss(tape, out);
    report.loss = loss.total();
    report.loss_graph = loss.graph;
    report.loss_entropy = loss.entropy;
    report.loss_decay = loss.decay;
    if (!std::isfinite(report.loss)) {
      refuse(ErrorKind::kData,
             "training broke down in epoch " + std::to_string(report.epoch) +
                 ": found a loss that is not finite, expected a number; scale the "
                 "features (--scaling standard) or lower --learning_rate");
    }
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
    report.train_accuracy = accuracy(probabilities, problem_.labels, problem_.train);
    if (!problem_.val.empty()) {
      report.val_accuracy = validation_accuracy(probabilities, problem_);
      report.val_loss = cross_entropy(tape, logits, problem_.val, problem_.labels, 0.0f);
      state_.estimate.see(validation_rows(probabilities, problem_));
    }
    report.best = is_best(report);
    if (report.best) keep(out, probabilities, report);
    tape.clear(keeps_buffers_);
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
  GlGnn model_;
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
