#include "modules/layers.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/dense.h"
#include "kernels/layers.h"
#include "modules/module.h"
#include "ops/ops.h"
#include "ops/propagation.h"

namespace glgnn {
namespace {

constexpr int64_t kCheckEvery = 5;
constexpr double kRampEpochs = 50;  // until the consistency counts in full

class GnnHead {
 public:
  GnnHead(const Features& x, const Csr& graph, const Problem& problem, const Matrix& teacher,
          const GnnOptions& options, const Context& context, const cuda::HeldMatrix* held)
      : x_(x),
        graph_(graph, options.steps > 0 ? context : Context{context.threads}),
        problem_(problem),
        options_(options),
        w1_("w1", x.cols(), options.hidden),
        b1_("b1", 1, options.hidden),
        w2_("w2", options.hidden, problem.classes),
        b2_("b2", 1, problem.classes),
        training_(context, true),
        evaluation_(context, false) {
    if (x.is_sparse) {
      by_column_ = transpose(x.sparse.pattern->view());
      values_ = Matrix(x.sparse.nnz(), 1);
      std::copy(x.sparse.values.begin(), x.sparse.values.end(), values_.data());
    }
    start(w1_, 0);
    start(w2_, 1);
    set_targets(teacher);
    if (!x.is_sparse && options.steps == 0 && options.consistency <= 0) leave_out_unread_rows();
    if (held) move_to_device(*held);
  }

  void train_epoch(int64_t epoch) {
    const double ramp = std::min(1.0, static_cast<double>(epoch) / kRampEpochs);
    const auto consistency = static_cast<float>(options_.consistency * ramp);
    if (held_) {
      const auto [input, inner] = drops(epoch);
      held_->train_epoch(epoch + 1, consistency, input, inner);
      return;
    }
    const Var logits = forward(training_, epoch, true);
    soft_pull(training_, logits, targets_, weights_, consistency);
    sum_squares(training_, training_.parameter(w1_),
                static_cast<float>(0.5 * options_.weight_decay));
    training_.backward();
    for (Parameter* p : {&w1_, &b1_, &w2_, &b2_}) {
      ref::adam_step(p->value.data(), p->mean.data(), p->square.data(), p->grad.data(),
                     p->value.size(), options_.learning_rate, epoch + 1);
      p->grad.fill(0.0f);
    }
    training_.clear();
  }

  // What it says of the validation rows.
  Matrix look() {
    if (held_) return held_->look(problem_.val);
    p_ = *forward(evaluation_, 0, false).value;
    evaluation_.clear();
    softmax_rows(p_, evaluation_.threads());
    return validation_rows(p_, problem_);
  }

  // After look(): it is the best so far.
  void keep() {
    if (held_)
      held_->keep();
    else
      best_ = {std::move(p_), selection(), layers(), {}};
  }

  GnnResult best() {
    if (!held_) return std::move(best_);
    held_->go_back();
    Matrix p = held_->logits();
    softmax_rows(p, evaluation_.threads());
    cuda::HeadParameters now = held_->parameters();
    w1_.value = std::move(now.w1);
    b1_.value = std::move(now.b1);
    w2_.value = std::move(now.w2);
    b2_.value = std::move(now.b2);
    return {std::move(p), selection(), layers(), {}};
  }

 private:
  GnnLayers layers() const { return {{w1_.value, b1_.value}, {w2_.value, b2_.value}}; }

  std::vector<float> selection() const {
    std::vector<float> sizes(w1_.value.rows());
    float largest = 0;
    for (int64_t f = 0; f < w1_.value.rows(); ++f) {
      double squares = 0;
      for (int64_t h = 0; h < w1_.value.cols(); ++h) {
        squares += double{w1_.value[f][h]} * w1_.value[f][h];
      }
      largest = std::max(largest, sizes[f] = static_cast<float>(std::sqrt(squares)));
    }
    for (float& size : sizes) size = largest > 0 ? size / largest : 1.0f;
    return sizes;
  }

  // Glorot and Bengio's uniform start.
  void start(Parameter& p, uint32_t step) {
    const Rng rng{options_.seed, Stream::kInit, options_.owner, 1000 + 2 * options_.round + step};
    const double limit = std::sqrt(6.0 / static_cast<double>(p.value.rows() + p.value.cols()));
    for (int64_t e = 0; e < p.value.size(); ++e) {
      p.value.data()[e] =
          static_cast<float>(limit * (2.0 * rng.uniform(static_cast<uint64_t>(e)) - 1.0));
    }
  }

  void set_targets(const Matrix& teacher) {
    targets_ = one_hot(problem_);
    weights_ = Matrix(targets_.rows(), 1);
    if (!teacher.empty() && options_.teacher_weight > 0) {
      std::vector<int64_t> sure;
      for (int64_t i = 0; i < teacher.rows(); ++i) {
        if (*std::max_element(teacher[i], teacher[i] + teacher.cols()) <= options_.teacher_sure) {
          continue;
        }
        sure.push_back(i);
        std::copy(teacher[i], teacher[i] + teacher.cols(), targets_[i]);
      }
      for (const int64_t i : sure) {
        weights_.data()[i] =
            static_cast<float>(options_.teacher_weight / static_cast<double>(sure.size()));
      }
      clamp_training_rows(targets_, problem_);
    }
    const std::vector<float> row_weights = training_row_weights(problem_);
    for (size_t t = 0; t < row_weights.size(); ++t) {
      weights_.data()[problem_.train[t]] = row_weights[t] / static_cast<float>(row_weights.size());
    }
  }

  // Without propagation and consistency no loss reads a row of weight 0.
  void leave_out_unread_rows() {
    std::vector<int64_t> read;
    for (int64_t i = 0; i < x_.rows(); ++i) {
      if (weights_.data()[i] > 0) read.push_back(i);
    }
    const auto gather = [&](const Matrix& from) {
      Matrix to(static_cast<int64_t>(read.size()), from.cols());
      for (int64_t r = 0; r < to.rows(); ++r) std::copy_n(from[read[r]], from.cols(), to[r]);
      return to;
    };
    read_rows_ = gather(x_.dense);
    targets_ = gather(targets_);
    weights_ = gather(weights_);
  }

  void move_to_device(const cuda::HeldMatrix& x) {
    if (!read_rows_.empty()) held_rows_.emplace(std::as_const(read_rows_).view());
    held_ = std::make_unique<cuda::HeldHead>(
        x, held_rows_ ? *held_rows_ : x, options_.steps > 0 ? graph_.held() : nullptr,
        cuda::HeadParameters{w1_.value, b1_.value, w2_.value, b2_.value},
        cuda::HeadTraining{.targets = std::as_const(targets_).view(),
                           .weights = weights_.data(),
                           .rate = static_cast<float>(options_.dropout),
                           .weight_decay = static_cast<float>(options_.weight_decay),
                           .learning_rate = options_.learning_rate,
                           .steps = options_.steps,
                           .alpha = static_cast<float>(options_.alpha)});
  }

  // The numbers that drop the input and the hidden units of an epoch.
  std::pair<Rng, Rng> drops(int64_t epoch) const {
    const auto step = static_cast<uint32_t>(options_.round * 100000 + epoch);
    return {{options_.seed, Stream::kDropInput, options_.owner, step},
            {options_.seed, Stream::kDropHidden, options_.owner, step}};
  }

  Var forward(Tape& tape, int64_t epoch, bool training) {
    const auto drop = drops(epoch);
    const auto rate = static_cast<float>(training ? options_.dropout : 0.0);
    const Var w1 = tape.parameter(w1_), b1 = tape.parameter(b1_);
    const Var w2 = tape.parameter(w2_), b2 = tape.parameter(b2_);
    const auto sparse_layers = [&] {
      Var x = Tape::constant(values_);
      if (rate > 0) x = dropout(tape, x, rate, drop.first);
      const Var z = sparse_linear(tape, *x_.sparse.pattern, by_column_, x, w1);
      Var h = relu(tape, add_bias(tape, z, b1));
      if (rate > 0) h = dropout(tape, h, rate, drop.second);
      return add_bias(tape, linear(tape, h, w2), b2);
    };
    const Matrix& rows = training && !read_rows_.empty() ? read_rows_ : x_.dense;
    const Var o = x_.is_sparse ? sparse_layers()
                               : two_layers(tape, Tape::constant(rows), w1, b1, w2, b2, rate,
                                            drop.first, drop.second);
    if (options_.steps == 0) return o;
    return propagate(tape, graph_, o, options_.steps, options_.alpha);
  }

  const Features& x_;
  Propagation graph_;
  const Problem& problem_;
  const GnnOptions& options_;
  Parameter w1_, b1_, w2_, b2_;
  Tape training_, evaluation_;
  Transpose by_column_;
  Matrix values_, targets_, weights_;
  Matrix p_;
  GnnResult best_;
  Matrix read_rows_;                           // those of x that training reads; empty: all
  std::optional<cuda::HeldMatrix> held_rows_;  // the same on the device
  std::unique_ptr<cuda::HeldHead> held_;       // where that trains
};

}  // namespace

GnnResult train_gnn(const Features& x, const Csr& graph, const Problem& problem,
                    const Matrix& teacher, const GnnOptions& options, const Context& context,
                    const cuda::HeldMatrix* held) {
  GnnHead head(x, graph, problem, teacher, options, context, held);
  const Problem judged = validation_alone(problem);
  std::vector<Matrix> looks;
  double best_value = 0;
  int64_t checks_without_gain = 0;
  for (int64_t epoch = 0; epoch < options.epochs && checks_without_gain < options.patience;
       ++epoch) {
    head.train_epoch(epoch);
    const bool last = epoch + 1 == options.epochs;
    if ((epoch + 1) % kCheckEvery != 0 && !last) continue;
    looks.push_back(head.look());
    const double value = validation_score(looks.back(), judged).value();
    // Without validation rows the last epoch is taken.
    if (looks.size() == 1 || value > best_value || problem.val.empty()) {
      head.keep();
      best_value = value;
      checks_without_gain = 0;
    } else {
      ++checks_without_gain;
    }
  }
  GnnResult best = head.best();
  best.looks = std::move(looks);
  return best;
}

Matrix GnnLayers::logits(const Features& x) const {
  Features hidden;
  hidden.dense = first.logits(x);
  for (int64_t e = 0; e < hidden.dense.size(); ++e) {
    hidden.dense.data()[e] = std::max(hidden.dense.data()[e], 0.0f);
  }
  return second.logits(hidden);
}

Matrix LayersState::logits(const RowViews& rows) const {
  Matrix own = layers.logits(rows.at(input));
  if (!prototypes) return own;
  const Matrix theirs = prototypes->logits(rows);
  for (int64_t e = 0; e < own.size(); ++e) {
    own.data()[e] = 0.5f * (theirs.data()[e] + own.data()[e]);
  }
  return own;
}

std::vector<Stage> LayersOptions::run_round(const RoundWork& work) const {
  std::vector<Stage> stages;
  RoundWork taught = work;
  if (teacher) {
    taught.input = teacher->input;
    stages = teacher->prototypes.run_round(taught);
    stages.reserve(3);  // so that they stay where they are
    taught.before = &stages.front().p;
  }
  GnnOptions options = training;
  options.owner = work.number;
  options.round = work.round;
  const Csr no_graph;
  GnnResult result =
      train_gnn(work.features(), options.steps > 0 ? work.graph() : no_graph, work.problem,
                *taught.before, options, work.context, work.shared.held(work.input));
  // Of reduced rows the columns count that they were made of.
  if (result.selection.size() != static_cast<size_t>(work.problem.features->cols())) {
    result.selection = work.separation(result.p);
  }
  stages.push_back({.p = std::move(result.p),
                    .selection = std::move(result.selection),
                    .chose_epoch = true,
                    .own_weight = options.steps > 0 ? options.alpha : 1,
                    .state = LayersState{work.input, std::move(result.layers), {}},
                    .looks = std::move(result.looks)});
  if (!teacher) return stages;
  // The geometric mean of both.
  Stage mixed = stages.back();
  mixed.looks.clear();
  const Matrix& theirs = stages.front().p;
  for (int64_t e = 0; e < mixed.p.size(); ++e) {
    mixed.p.data()[e] = std::sqrt(mixed.p.data()[e] * theirs.data()[e]);
  }
  normalise_rows(mixed.p, class_shares(work.problem));
  std::get<LayersState>(mixed.state).prototypes = PrototypeState{teacher->input, {}};
  stages.push_back(std::move(mixed));
  return stages;
}

void LayersState::check(const std::string& what, const StateShape& fitted) const {
  const int64_t hidden = layers.first.weights.cols();
  layers.first.check(what + ", first layer", fitted.columns(what, input), hidden);
  layers.second.check(what + ", second layer", hidden, fitted.classes);
  if (prototypes) prototypes->check(what + ", prototypes", fitted);
}

void LayersOptions::finish(KindState& state, const Matrix& p, const RoundWork& work) const {
  if (!teacher) return;
  const LayersState* layers = std::get_if<LayersState>(&state);
  if (layers && !layers->prototypes) return;
  RoundWork of_teacher = work;
  of_teacher.input = teacher->input;
  KindState prototypes = PrototypeState{};
  teacher->prototypes.finish(prototypes, p, of_teacher);
  if (layers)
    std::get<LayersState>(state).prototypes = std::get<PrototypeState>(prototypes);
  else
    state = prototypes;
}

void LayersOptions::describe(ModuleNote& note) const {
  if (teacher) {
    note.add("teacher_input=" + view_name(teacher->input));
    teacher->prototypes.describe(note);
  }
  note.add("hidden", static_cast<double>(training.hidden));
  note.add("dropout", training.dropout);
  note.add("decay", training.weight_decay);
  note.add("steps", static_cast<double>(training.steps));
  note.add("alpha", training.alpha);
  note.add("teacher", training.teacher_weight);
  note.add("sure", training.teacher_sure);
  note.add("consistency", training.consistency);
}

bool LayersOptions::is_left_out(const Config& config) const {
  return !config.gnn_heads || (teacher && teacher->prototypes.is_left_out(config));
}

void LayersOptions::apply(const Config& config) {
  training.seed = config.seed;
  if (config.epochs > 0) training.epochs = config.epochs;
  if (!config.propagation) training.steps = 0;
  if (!config.teacher) training.teacher_weight = 0;
  if (!config.consistency) training.consistency = 0;
  if (teacher) teacher->prototypes.apply(config);
}

}  // namespace glgnn
