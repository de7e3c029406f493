#include <glgnn/error.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "core/clock.h"
#include "kernels/dense.h"
#include "kernels/losses.h"
#include "modules/module.h"
#include "modules/paper/inputs.h"
#include "modules/paper/sub_module.h"
#include "network/estimate.h"
#include "network/gl_gnn.h"
#include "train/checkpoint.h"
#include "train/edges_over_ranks.h"
#include "train/trainers.h"

namespace glgnn {
namespace {

struct ModuleOverRanks {
  NormalisedEdges graph, second_graph;
  Var prediction;
};

// The labelled rows: those that train, then those that validate.
struct Labelled {
  explicit Labelled(const Problem& problem)
      : rows(problem.train), train(problem.train.size()), val(problem.val.size()) {
    rows.insert(rows.end(), problem.val.begin(), problem.val.end());
    for (const int32_t row : rows) labels.push_back(problem.labels[row]);
    std::iota(train.begin(), train.end(), 0);
    std::iota(val.begin(), val.end(), static_cast<int32_t>(train.size()));
  }
  std::vector<int32_t> rows;        // among all rows
  std::vector<int32_t> labels;      // of each
  std::vector<int32_t> train, val;  // places in `rows`
};

class PaperOverRanks {
 public:
  PaperOverRanks(const Problem& problem, int64_t all_rows, const Config& config,
                 const Context& context, Ranks& ranks)
      : problem_(problem),
        config_(config),
        context_(context),
        ranks_(ranks),
        all_rows_(all_rows),
        range_(rows_of_rank(all_rows, ranks.count(), ranks.self())),
        inputs_(problem, config),
        network_(config, inputs_),
        given_stays_(problem.graph && config.given_graph == GivenGraph::kAlways),
        hops_(static_cast<size_t>(config.modules)),
        own_labels_(problem.labels.begin() + range_.begin, problem.labels.begin() + range_.end),
        labelled_(problem),
        training_tape_(context, true),
        evaluation_tape_(context, false),
        estimate_({labelled_.labels.begin() + std::ssize(labelled_.train), labelled_.labels.end()},
                  config.seed) {
    for (int64_t m = 0; m < config.modules; ++m) {
      modules_.emplace_back(config, inputs_, static_cast<uint32_t>(m));
    }
    if (problem.graph) std::ranges::fill(hops_, hops_in(problem.graph->pattern));
    for (const int32_t row : problem.train) {
      if (row >= range_.begin && row < range_.end) {
        own_train_.push_back(static_cast<int32_t>(row - range_.begin));
      }
    }
  }

  int64_t epochs_done() const { return std::ssize(result_.history); }

  EpochReport run_epoch() {
    EpochReport report{.epoch = epochs_done() + 1, .epochs = config_.epochs};
    const auto epoch = static_cast<uint32_t>(epochs_done());
    train({true, epoch}, report);
    evaluate({false, epoch}, report);
    report.seconds = seconds_since(start_);
    result_.history.push_back(report);
    return report;
  }

  void save(const std::string& path) {
    OwnState state = own_state();
    for (const auto& hops : hops_) {
      if (!given_stays_) state.hop_graphs.emplace_back(hops, &hops->shells.graph());
    }
    save_over_ranks(path, state, problem_, all_rows_, config_, ranks_);
  }

  void load(const std::string& path) {
    OwnState state = own_state();
    state.hop_graphs.resize(given_stays_ ? 0 : hops_.size());
    load_over_ranks(path, state, problem_, all_rows_, config_, ranks_);
    for (size_t m = 0; m < state.hop_graphs.size(); ++m) hops_[m] = hops_in(state.hop_graphs[m]);
  }

  OwnResult result(bool interrupted) {
    result_.interrupted = interrupted;
    if (!interrupted && !problem_.val.empty()) result_.estimate = estimate();
    return std::move(result_);
  }

 private:
  const Matrix& x() const { return problem_.features->dense; }

  // A graph that has own rows and their neighbours.
  std::shared_ptr<const HopPairs> hops_in(SharedPattern near_own) const {
    HopPairs hops;
    hops.hops = config_.hops;
    hops.shells = HopShells(std::move(near_own), config_.hops, ranks_.count() == 1);
    return std::make_shared<const HopPairs>(std::move(hops));
  }

  OwnState own_state() {
    Parameter &a = *network_.parameters()[0], &b = *network_.parameters()[1];
    OwnState state{.history = result_.history,
                   .best_epoch = result_.best_epoch,
                   .best_accuracy = best_accuracy_,
                   .estimate = estimate_,
                   .alike = {&b},
                   .of_own_rows = {&a.value, &a.mean, &a.square, &result_.probabilities},
                   .hop_graphs = {}};
    for (SubModule& module : modules_) {
      for (Parameter* p : module.parameters()) state.alike.push_back(p);
    }
    return state;
  }

  ShownOverRanks shown_labels(const Pass& pass) const {
    ShownOverRanks shown;
    if (!pass.training) return shown;
    shown.columns = inputs_.label_cols();
    shown.classes.assign(static_cast<size_t>(all_rows_), -1);
    const Rng rng{config_.seed, Stream::kHideLabels, 0, pass.epoch};
    const auto hide = static_cast<float>(config_.label_hide);
    for (const int32_t row : problem_.train) {
      if (rng.uniform(row) >= hide) shown.classes[row] = problem_.labels[row];
    }
    return shown;
  }

  SharedEdges choose(const Matrix& z, const HopWeights<float>& hops, bool positive_only) {
    const ApartOptions options{
        .k = config_.k, .all_rows = all_rows_, .positive_only = positive_only, .hops = hops};
    return std::make_shared<EdgesOverRanks>(
        choose_over_ranks(z.view(), options, context_.threads, ranks_), all_rows_, ranks_);
  }

  NormalisedEdges learn_graph(Tape& tape, int64_t m, const ShownOverRanks& shown) {
    SubModule& module = modules_[m];
    const HopPairs* const hops = hops_[m].get();
    const float shrink = 1.0f / std::sqrt(static_cast<float>(inputs_.temperature()));
    const Var s = scale(tape, tape.parameter(module.selection()), shrink);
    const Var hop_weights = softplus(tape, tape.parameter(*module.parameters()[3]));
    HopWeights<float> weights;
    if (hops) {
      weights.shells = &hops->shells;
      weights.h_of_shell = hop_weights.data();
    }
    const float label_weight = inputs_.first_weight();
    const SharedEdges edges = choose(
        selected_own(x(), s, shown.rows(range_, label_weight), context_.threads), weights, false);
    const SharedPattern& own = edges->own();
    const Var similarity = selected_dot(tape, edges, Tape::constant(x()), s, shown, label_weight);
    SparseVar a{own, edge_softmax(tape, own, similarity), nullptr};
    if (hops) {
      a.work = std::make_shared<PatternWork>(own);
      a.work->set_hop_shares(hop_shares(*edges, *hops, context_.threads));
      a.values = multiply(tape, a.values, hop_gather(tape, own, *hops, hop_weights, a.work));
    }
    const bool sum_k = config_.rescale == Rescale::kSumK;
    a = row_scale(tape, a, {.target = sum_k ? static_cast<float>(config_.k) : 1.0f});
    return symmetric_norm(tape, edges, edges_with_others(tape, edges, a.values));
  }

  NormalisedEdges second_graph(Tape& tape, const ShownOverRanks& shown, Var hidden) {
    const Matrix& labels = tape.keep(shown.rows(range_, inputs_.second_weight()));
    const Var z = concat_labels(tape, Tape::constant(labels), hidden);
    const SharedEdges edges = choose(*z.value, {}, true);
    return symmetric_norm(tape, edges, edge_dot(tape, edges, z));
  }

  ModuleOverRanks forward(Tape& tape, int64_t m, const ShownOverRanks& shown, const Pass& pass) {
    SubModule& module = modules_[m];
    const auto number = static_cast<uint32_t>(m);
    const float rate = pass.training ? static_cast<float>(config_.dropout) : 0.0f;
    ModuleOverRanks out;
    out.graph = learn_graph(tape, m, shown);
    const Var w1 = scale_rows(tape, tape.parameter(module.first_weights()),
                              tape.parameter(module.selection()));
    const Var input =
        dropout_linear(tape, Tape::constant(x()), w1, rate,
                       {config_.seed, Stream::kDropInput, number, pass.epoch}, range_.begin);
    const Var hidden = relu(tape, multiply_rows(tape, out.graph, input));
    const Var dropped = dropout(
        tape, hidden, rate, {config_.seed, Stream::kDropHidden, number, pass.epoch}, range_.begin);
    const Var second = linear(tape, dropped, tape.parameter(module.second_weights()));
    out.prediction = row_softmax(tape, multiply_rows(tape, out.graph, second));
    const bool has_second = config_.mu1 != 0.0 || !given_stays_;
    if (pass.training && has_second) out.second_graph = second_graph(tape, shown, hidden);
    return out;
  }

  Var logits_of(Tape& tape, const std::vector<ModuleOverRanks>& modules) {
    std::vector<Var> predictions;
    for (const ModuleOverRanks& module : modules) predictions.push_back(module.prediction);
    const float share = static_cast<float>(range_.size()) / static_cast<float>(all_rows_);
    const auto mean_of_all = [&](Var own) {
      return sum_of_ranks(tape, scale(tape, own, share), ranks_);
    };
    const auto alike = [&](Var value) { return alike_on_ranks(tape, value, ranks_); };
    return network_.forward(tape, predictions, {mean_of_all, alike}).logits;
  }

  std::vector<ModuleOverRanks> forward(Tape& tape, const Pass& pass) {
    const ShownOverRanks& shown = tape.keep(shown_labels(pass));
    std::vector<ModuleOverRanks> modules;
    for (int64_t m = 0; m < config_.modules; ++m) {
      modules.push_back(forward(tape, m, shown, pass));
    }
    return modules;
  }

  // What own rows add, and on rank 0 the decay: graph, entropy, decay.
  std::vector<double> loss(Tape& tape, const std::vector<ModuleOverRanks>& modules, Var logits) {
    std::vector<double> terms(3, 0.0);
    const auto mu1 = static_cast<float>(config_.mu1 / static_cast<double>(config_.modules) /
                                        static_cast<double>(all_rows_));
    for (const ModuleOverRanks& module : modules) {
      if (mu1 != 0.0f) terms[0] += mu1 * sparse_l1(tape, module.graph, module.second_graph, mu1);
    }
    if (!own_train_.empty()) {
      const double share =
          static_cast<double>(own_train_.size()) / static_cast<double>(problem_.train.size());
      terms[1] = config_.mu2 * share *
                 cross_entropy(tape, logits, own_train_, own_labels_,
                               static_cast<float>(config_.mu2 * share));
    }
    const auto decay = static_cast<float>(config_.weight_decay);
    for (SubModule& module : modules_) {
      if (!ranks_.leads()) break;
      terms[2] += decay * sum_squares(tape, tape.parameter(module.first_weights()), decay);
      if (config_.decay_on == DecayOn::kAll) {
        terms[2] += decay * sum_squares(tape, tape.parameter(module.second_weights()), decay);
      }
    }
    return terms;
  }

  void step(int64_t epoch) {
    const auto adam = [&](Parameter& p) {
      ref::adam_step(p.value.data(), p.mean.data(), p.square.data(), p.grad.data(), p.value.size(),
                     config_.learning_rate, epoch);
      p.grad.fill(0.0f);
    };
    for (SubModule& module : modules_) {
      for (Parameter* p : module.parameters()) {
        // Each rank has a part of the sums over rows.
        sum_over_ranks(p->grad.data(), p->grad.size(), ranks_);
        adam(*p);
      }
    }
    for (Parameter* p : network_.parameters()) adam(*p);
  }

  void train(const Pass& pass, EpochReport& report) {
    Tape& tape = training_tape_;
    const std::vector<ModuleOverRanks> modules = forward(tape, pass);
    if (!given_stays_) std::ranges::fill(hops_, nullptr);  // they are found anew below
    const Var logits = logits_of(tape, modules);
    const std::vector<double> terms = sum_over_ranks(loss(tape, modules, logits), ranks_);
    set_loss(report, {terms[0], terms[1], terms[2]});
    tape.backward();
    step(report.epoch);
    for (size_t m = 0; m < hops_.size() && !given_stays_; ++m) {
      hops_[m] = hops_in(rows_near_own(modules[m].second_graph, ranks_));
    }
    tape.clear(false);
  }

  void evaluate(const Pass& pass, EpochReport& report) {
    Tape& tape = evaluation_tape_;
    const Var logits = logits_of(tape, forward(tape, pass));
    const Matrix& listed =
        tape.keep(rows_by_number(*logits.value, labelled_.rows, all_rows_, ranks_));
    const Matrix& answers = *row_softmax(tape, Tape::constant(listed)).value;
    report.train_accuracy = accuracy(answers, labelled_.labels, labelled_.train);
    if (!labelled_.val.empty()) {
      report.val_accuracy = accuracy(answers, labelled_.labels, labelled_.val);
      report.val_loss =
          ref::cross_entropy_forward<float>(listed.view(), labelled_.val, labelled_.labels.data());
      Matrix val(std::ssize(labelled_.val), answers.cols());
      std::copy_n(answers[std::ssize(labelled_.train)], val.size(), val.data());
      estimate_.see(val);
    }
    report.best = labelled_.val.empty() || report.val_accuracy >= best_accuracy_;
    if (report.best) {
      best_accuracy_ = report.val_accuracy;
      result_.best_epoch = report.epoch;
      result_.probabilities = *row_softmax(tape, logits).value;
    }
    tape.clear(false);
  }

  // Beside logistic regression on the labelled rows, of which every rank gets the features.
  Estimate estimate() {
    Problem small = problem_;
    Features features;
    features.dense = rows_by_number(x(), labelled_.rows, all_rows_, ranks_);
    small.features = &features;
    small.labels = labelled_.labels;
    small.train = labelled_.train;
    small.val = labelled_.val;
    return estimate_.result(problem_.classes, baseline_answers(small, features, context_));
  }

  const Problem& problem_;
  const Config& config_;
  Context context_;
  Ranks& ranks_;
  int64_t all_rows_;
  RowRange range_;
  Inputs inputs_;
  std::deque<SubModule> modules_;
  GraphNetwork network_;
  bool given_stays_;  // the hops are those in the given graph in every epoch
  std::vector<std::shared_ptr<const HopPairs>> hops_;  // of each module; null: no graph yet
  std::vector<int32_t> own_train_;                     // from 0
  std::vector<int32_t> own_labels_;
  Labelled labelled_;
  Tape training_tape_, evaluation_tape_;
  EpochEstimate estimate_;
  double best_accuracy_ = -1;
  OwnResult result_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

void check_paper_over_ranks(const Problem& problem, const Config& config, int64_t all_rows,
                            const Ranks& ranks) {
  const auto require = [](bool condition, const std::string& found, const std::string& expected) {
    if (condition) return;
    throw Error(ErrorKind::kUsage, "rows over ranks: found " + found + ", expected " + expected +
                                       "; leave out --rows-over-ranks, or change it");
  };
  require(config.mode == Mode::kPaper, "mode best", "mode paper");
  require(!problem.features->is_sparse, "sparse features", "dense ones");
  require(!problem.graph || config.given_graph != GivenGraph::kUnion, "given_graph union",
          "always or start");
  require(config.class_weights == ClassWeights::kNone, "balanced class weights", "none");
  require(config.hops >= 1 && config.hops <= 2, std::to_string(config.hops) + " hops", "1 or 2");
  require(all_rows >= kRunOfRows * ranks.count(),
          std::to_string(all_rows) + " rows for " + std::to_string(ranks.count()) + " ranks",
          std::to_string(kRunOfRows) + " rows for each rank at least");
  const Config plain;
  for (const char* name :
       {"similarity", "diagonal", "sample_neighbours", "hop_form", "last_graph", "symmetrise",
        "refresh", "bias", "feature_graph", "aggregation", "attention", "alpha_mean",
        "network_weight", "select_non_negative", "eval_labels"}) {
    const std::string found = get_setting(config, name), expected = get_setting(plain, name);
    require(found == expected, std::string(name) + " " + found, expected);
  }
  require(config.rescale == Rescale::kSumK || config.rescale == Rescale::kSumOne,
          "rescale " + get_setting(config, "rescale"), "sum_k or sum_one");
}

OwnResult fit_paper_over_ranks(const Problem& problem, int64_t all_rows, const Config& asked,
                               const Context& context, const FitOptions& options, Ranks& ranks) {
  check_paper_over_ranks(problem, asked, all_rows, ranks);
  Config config = asked;
  config.temperature = temperature_of(config, problem.graph != nullptr);
  PaperOverRanks trainer(problem, all_rows, config, context, ranks);
  std::optional<Clock::time_point> saved;  // the first epoch is kept at once
  if (options.resume) {
    trainer.load(options.checkpoint);
    saved = Clock::now();
  }
  bool interrupted = false;
  while (trainer.epochs_done() < config.epochs && !interrupted) {
    const EpochReport report = trainer.run_epoch();
    const bool stop = ranks.leads() && options.on_epoch && !options.on_epoch(report);
    const bool is_due = !saved || seconds_since(*saved) >= options.checkpoint_seconds;
    // What rank 0 says: it has the callback, and the clock.
    const std::string next = ranks.share(stop ? "stop" : is_due ? "save" : "go on");
    interrupted = next == "stop";
    if (next == "go on" || options.checkpoint.empty()) continue;
    trainer.save(options.checkpoint);
    saved = Clock::now();
  }
  return trainer.result(interrupted && trainer.epochs_done() < config.epochs);
}

}  // namespace glgnn
