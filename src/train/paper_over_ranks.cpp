#include <glgnn/error.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "core/clock.h"
#include "core/parallel.h"
#include "kernels/dense.h"
#include "kernels/losses.h"
#include "modules/baseline.h"
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
  explicit Labelled(const Problem& problem) : rows(problem.train) {
    rows.insert(rows.end(), problem.val.begin(), problem.val.end());
    for (const int32_t row : rows) labels.push_back(problem.labels[row]);
    train.resize(problem.train.size());
    val.resize(problem.val.size());
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
        mean_weights_(1, config.modules, 1.0f / static_cast<float>(config.modules)),
        hops_(static_cast<size_t>(config.modules)),
        own_labels_(problem.labels.begin() + range_.begin, problem.labels.begin() + range_.end),
        labelled_(problem),
        training_tape_(context, true),
        evaluation_tape_(context, false),
        estimate_({labelled_.labels.begin() + std::ssize(labelled_.train), labelled_.labels.end()},
                  config.seed) {
    for (int64_t m = 0; m < config.modules; ++m) {
      modules_.emplace_back(config, inputs_, static_cast<uint32_t>(m));
      hops_[m].hops = config.hops;
    }
    for (const int32_t row : problem.train) {
      if (row >= range_.begin && row < range_.end) {
        own_train_.push_back(static_cast<int32_t>(row - range_.begin));
      }
    }
  }

  int64_t epochs_done() const { return std::ssize(result_.history); }

  EpochReport run_epoch() {
    EpochReport report;
    report.epoch = epochs_done() + 1;
    report.epochs = config_.epochs;
    const auto epoch = static_cast<uint32_t>(epochs_done());
    train({true, epoch}, report);
    evaluate({false, epoch}, report);
    report.seconds = seconds_since(start_);
    result_.history.push_back(report);
    return report;
  }

  void save(const std::string& path) {
    OwnState state = own_state();
    for (const HopPairs& hops : hops_) {
      state.hop_graphs.push_back(rows_of(hops.shells.graph(), range_));
    }
    save_over_ranks(path, state, problem_, all_rows_, config_, ranks_);
  }

  void load(const std::string& path) {
    OwnState state = own_state();
    state.hop_graphs.resize(hops_.size());
    load_over_ranks(path, state, problem_, all_rows_, config_, ranks_);
    for (size_t m = 0; m < hops_.size(); ++m) {
      hops_[m] = hops_near(state.hop_graphs[m], range_, config_.hops);
    }
  }

  OwnResult result(bool interrupted) {
    result_.interrupted = interrupted;
    if (!interrupted && !problem_.val.empty()) result_.estimate = estimate();
    return std::move(result_);
  }

 private:
  const Matrix& x() const { return problem_.features->dense; }

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

  // Rows of all ranks that every rank gets: of a few rows, given by their numbers.
  Matrix rows_of_all(const Matrix& own, const std::vector<int32_t>& rows) {
    std::string letter;
    for (const int32_t row : rows) {
      if (row < range_.begin || row >= range_.end) continue;
      append(letter, own[row - range_.begin], static_cast<size_t>(own.cols()));
    }
    const auto letters = ranks_.swap(
        std::vector<std::string>(static_cast<size_t>(ranks_.count()), std::move(letter)));
    std::vector<Letter> open;
    for (const std::string& bytes : letters) open.emplace_back(bytes);
    Matrix out(std::ssize(rows), own.cols());
    for (int64_t r = 0; r < out.rows(); ++r) {
      Letter& from = open[owner_of(rows[r], all_rows_, ranks_.count())];
      const auto numbers = from.take<float>(static_cast<size_t>(own.cols()));
      std::copy(numbers.begin(), numbers.end(), out[r]);
    }
    return out;
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

  // Z = [labels, X * s] of own rows, for as long as the choice needs it.
  Matrix selected(Var s, const Matrix& labels) const {
    Matrix z(x().rows(), labels.cols() + x().cols());
    for_row_ranges(z.rows(), z.size(), context_.threads, [&](int64_t begin, int64_t end) {
      const int64_t rows = end - begin;
      ref::feature_select_forward<float>({z[begin], rows, z.cols()}, {x()[begin], rows, x().cols()},
                                         s.data(), {labels[begin], rows, labels.cols()});
    });
    return z;
  }

  SharedEdges choose(const Matrix& z, const HopWeights<float>& hops, bool positive_only) {
    const ApartOptions options{
        .k = config_.k, .all_rows = all_rows_, .positive_only = positive_only, .hops = hops};
    return std::make_shared<EdgesOverRanks>(
        choose_over_ranks(z.view(), options, context_.threads, ranks_), all_rows_, ranks_);
  }

  NormalisedEdges learn_graph(Tape& tape, int64_t m, const ShownOverRanks& shown) {
    SubModule& module = modules_[m];
    const HopPairs& hops = hops_[m];
    const float shrink = 1.0f / std::sqrt(static_cast<float>(inputs_.temperature()));
    const Var s = scale(tape, tape.parameter(module.selection()), shrink);
    const Var hop_weights = softplus(tape, tape.parameter(*module.parameters()[3]));
    HopWeights<float> weights;
    if (hops.has_graph()) {
      weights.shells = &hops.shells;
      weights.h_of_shell = hop_weights.data();
    }
    const float label_weight = inputs_.first_weight();
    const SharedEdges edges = choose(selected(s, shown.rows(range_, label_weight)), weights, false);
    const SharedPattern& own = edges->own();
    const Var similarity = selected_dot(tape, edges, Tape::constant(x()), s, shown, label_weight);
    SparseVar a{own, edge_softmax(tape, own, similarity), nullptr};
    if (hops.has_graph()) {
      a.work = std::make_shared<PatternWork>(own);
      a.work->set_hop_shares(hop_shares(*edges, hops, context_.threads));
      a.values = multiply(tape, a.values, hop_gather(tape, own, hops, hop_weights, a.work));
    }
    const bool sum_k = config_.rescale == Rescale::kSumK;
    a = row_scale(tape, a, {.target = sum_k ? static_cast<float>(config_.k) : 1.0f});
    return {edges, symmetric_norm(tape, edges, edges_with_others(tape, edges, a.values))};
  }

  NormalisedEdges second_graph(Tape& tape, const ShownOverRanks& shown, Var hidden) {
    const Matrix& labels = tape.keep(shown.rows(range_, inputs_.second_weight()));
    const Var z = concat_labels(tape, Tape::constant(labels), hidden);
    const SharedEdges edges = choose(*z.value, {}, true);
    const RowsVar all{with_others(tape, edges, z), nullptr, nullptr};
    return {edges, symmetric_norm(tape, edges, edge_dot(tape, edges->all(), all))};
  }

  // A own rows, A being the graph.
  static Var multiply_rows(Tape& tape, const NormalisedEdges& a, Var own) {
    return own_rows(tape, a.edges, spmm(tape, a.graph, with_others(tape, a.edges, own)));
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
    if (pass.training) out.second_graph = second_graph(tape, shown, hidden);
    return out;
  }

  Var logits_of(Tape& tape, const std::vector<ModuleOverRanks>& modules) {
    std::vector<Var> all;
    for (const ModuleOverRanks& module : modules) all.push_back(module.prediction);
    all.push_back(network_mix(tape, all, Tape::constant(mean_weights_), 0));
    Parameter &a = *network_.parameters()[0], &b = *network_.parameters()[1];
    const float share = static_cast<float>(range_.size()) / static_cast<float>(all_rows_);
    const Var alpha =
        sum_of_ranks(tape, scale(tape, network_alpha(tape, all, tape.parameter(a)), share), ranks_);
    const Var network = alike_on_ranks(tape, linear(tape, alpha, tape.parameter(b)), ranks_);
    return network_mix(tape, all, network, config_.modules);
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

  // Of the modules: each rank has a part of the sums over rows.
  void sum_gradients() {
    std::vector<float> all;
    for (SubModule& module : modules_) {
      for (const Parameter* p : module.parameters()) {
        all.insert(all.end(), p->grad.data(), p->grad.data() + p->grad.size());
      }
    }
    sum_over_ranks(all.data(), std::ssize(all), ranks_);
    const float* from = all.data();
    for (SubModule& module : modules_) {
      for (Parameter* p : module.parameters()) {
        std::copy_n(from, p->grad.size(), p->grad.data());
        from += p->grad.size();
      }
    }
  }

  void step(int64_t epoch) {
    const auto adam = [&](Parameter& p) {
      ref::adam_step(p.value.data(), p.mean.data(), p.square.data(), p.grad.data(), p.value.size(),
                     config_.learning_rate, epoch);
      p.grad.fill(0.0f);
    };
    for (SubModule& module : modules_) {
      for (Parameter* p : module.parameters()) adam(*p);
    }
    for (Parameter* p : network_.parameters()) adam(*p);
  }

  void train(const Pass& pass, EpochReport& report) {
    Tape& tape = training_tape_;
    const std::vector<ModuleOverRanks> modules = forward(tape, pass);
    const Var logits = logits_of(tape, modules);
    const std::vector<double> terms = sum_over_ranks(loss(tape, modules, logits), ranks_);
    report.loss_graph = terms[0];
    report.loss_entropy = terms[1];
    report.loss_decay = terms[2];
    report.loss = terms[0] + terms[1] + terms[2];
    if (!std::isfinite(report.loss)) {
      throw Error(ErrorKind::kData, "training broke down in epoch " + std::to_string(report.epoch) +
                                        ": found a loss that is not finite, expected a number; "
                                        "scale the features (--scaling standard) or lower "
                                        "--learning_rate");
    }
    tape.backward();
    sum_gradients();
    step(report.epoch);
    for (int64_t m = 0; m < config_.modules; ++m) {
      hops_[m] = hops_over_ranks(modules[m].second_graph, config_.hops, ranks_);
    }
    tape.clear(false);
  }

  void evaluate(const Pass& pass, EpochReport& report) {
    Tape& tape = evaluation_tape_;
    const Var logits = logits_of(tape, forward(tape, pass));
    const Matrix& listed = tape.keep(rows_of_all(*logits.value, labelled_.rows));
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
    features.dense = rows_of_all(x(), labelled_.rows);
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
  Matrix mean_weights_;
  std::vector<HopPairs> hops_;      // of each module
  std::vector<int32_t> own_train_;  // from 0
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
  require(!problem.graph, "a given graph", "none");
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
  config.temperature = temperature_of(config, false);
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
