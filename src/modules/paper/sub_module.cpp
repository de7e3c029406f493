#include "modules/paper/sub_module.h"

#include <cmath>
#include <string>
#include <utility>

namespace glgnn {
namespace {

// Which numbers of the kInit stream start which parameter; a new parameter takes a new step.
enum InitStep : uint32_t { kSelectionStep = 0, kFirstWeightsStep = 1, kSecondWeightsStep = 2 };

void start_glorot(Matrix& w, Rng rng) {
  const float limit = std::sqrt(6.0f / static_cast<float>(w.rows() + w.cols()));
  for (int64_t e = 0; e < w.size(); ++e) w.data()[e] = (2 * rng.uniform(e) - 1) * limit;
}

void start_selection(Matrix& s, Rng rng, SelectStart form) {
  for (int64_t f = 0; f < s.size(); ++f) {
    s.data()[f] = form == SelectStart::kUniform ? rng.uniform(f) : 1.0f + 0.1f * rng.normal(f);
  }
}

std::string parameter_name(uint32_t module, const char* what) {
  return "module" + std::to_string(module) + "." + what;
}

}  // namespace

SubModule::SubModule(const Config& config, const Inputs& inputs, uint32_t number)
    : config_(config),
      inputs_(inputs),
      number_(number),
      s_(parameter_name(number, "s"), 1, inputs.features()),
      w1_(parameter_name(number, "w1"), inputs.features(), config.hidden),
      w2_(parameter_name(number, "w2"), config.hidden, inputs.classes()),
      // softplus of this is 1: at the start every hop counts the same
      v_(parameter_name(number, "v"), 1, config.hops + 1, std::log(std::exp(1.0f) - 1.0f)) {
  const auto rng = [&](InitStep step) { return Rng{config.seed, Stream::kInit, number, step}; };
  start_selection(s_.value, rng(kSelectionStep), config.select_start);
  start_glorot(w1_.value, rng(kFirstWeightsStep));
  start_glorot(w2_.value, rng(kSecondWeightsStep));
  hops_ = std::make_shared<HopPairs>();
  hops_->hops = config.hops;
}

void SubModule::set_hop_graph(const Csr& graph, int threads) {
  label_free_ = false;
  for (KeptChoice& kept : kept_) {
    if (kept.work) kept.work->forget_near();
  }
  hop_graph_ = graph;
  // The memory of the last hops is used again, unless other modules read them.
  HopPairs room = hops_.use_count() == 1 ? std::move(*hops_) : HopPairs();
  hops_ = std::make_shared<HopPairs>(
      config_.hop_form == HopForm::kShells
          ? hop_shells(graph.pattern->view(), config_.hops, threads, std::move(room))
          : hop_powers(graph.pattern->view(), graph.values.data(), config_.hops));
}

void SubModule::share_hop_graph(const SubModule& other) {
  label_free_ = false;
  hop_graph_ = other.hop_graph_;
  hops_ = other.hops_;
}

RowsVar SubModule::select_features(Tape& tape, const ShownLabels& labels) {
  const Var s = tape.parameter(s_);
  const Var x = Tape::constant(inputs_.x()), shown = Tape::constant(labels.dense);
  // Only these readings need Z itself; it is large.
  const bool keeps_z = config_.similarity == Similarity::kCosine || config_.temperature != 1.0 ||
                       needs_all_rows_sum();
  if (!inputs_.is_sparse() && !keeps_z) return selected_rows(x, s, shown);
  RowsVar z = inputs_.is_sparse()
                  ? feature_select(tape, inputs_.xl_pattern(), inputs_.xl_by_column(),
                                   Tape::constant(labels.xl_values), s, inputs_.label_cols())
                  : feature_select(tape, x, s, shown);
  const float shrink = 1.0f / std::sqrt(static_cast<float>(config_.temperature));
  if (config_.similarity == Similarity::kCosine) return unit_rows(tape, z, shrink);
  return shrink == 1.0f ? z : scale(tape, z, shrink);
}

// Scaling the kept values of a row to sum 1 cancels the softmax's denominator, value and gradient
// alike; only the literal reading (not rescaled) needs the sum over all rows.
bool SubModule::needs_all_rows_sum() const {
  return config_.softmax_over == SoftmaxOver::kAll && !config_.rescale;
}

// Whether showing labels changes nothing but the similarity of shown rows of one class.
bool SubModule::labels_only_add() const {
  return config_.similarity == Similarity::kDot && !needs_all_rows_sum();
}

Choice SubModule::choose(Tape& tape, const RowsVar& z, Var hop_weights, const ShownLabels& labels,
                         const Pass& pass) {
  KeptChoice& kept = kept_[pass.training];
  if (!pass.choose && kept.pattern) return {kept.pattern, Tape::constant(kept.lse)};
  ChooseOptions options{.k = config_.k, .diagonal = config_.diagonal};
  if (kept.pattern) options.likely = kept.pattern->view();
  Choice choice;
  if (pass.training && label_free_ && labels_only_add()) {
    choice.pattern = rechoose_groups(tape, z, *hops_, hop_weights, options, *kept_[0].pattern,
                                     labels.rows_of_class);
    kept = {choice.pattern, Matrix()};
  } else {
    choice = graph_learn_choose(tape, z, hops_.get(), hop_weights, options, needs_all_rows_sum());
    kept = {choice.pattern, *choice.lse.value};
  }
  label_free_ = !pass.training && config_.eval_labels == EvalLabels::kZero;
  return choice;
}

// Patterns that are chosen anew in every epoch have nothing to keep.
std::shared_ptr<PatternWork> SubModule::kept_work(std::shared_ptr<PatternWork>& work,
                                                  const SharedPattern& pattern) const {
  if (config_.refresh > 1) work = work_of(pattern, work);
  return work;
}

SparseVar SubModule::learn_graph(Tape& tape, const ShownLabels& labels, const Pass& pass) {
  const RowsVar z = select_features(tape, labels);
  const Var hop_weights = softplus(tape, tape.parameter(v_));
  const Choice choice = choose(tape, z, hop_weights, labels, pass);
  const auto work = kept_work(kept_[pass.training].work, choice.pattern);
  const Var similarity = edge_dot(tape, choice.pattern, z, work);
  const Var probability = needs_all_rows_sum()
                              ? edge_exp(tape, choice.pattern, similarity, choice.lse)
                              : edge_softmax(tape, choice.pattern, similarity);
  const Var hop = hop_gather(tape, choice.pattern, *hops_, hop_weights, work);
  SparseVar a{choice.pattern, multiply(tape, probability, hop), nullptr, work};
  if (config_.rescale) a = row_scale(tape, a);
  return normalise(tape, a);
}

SparseVar SubModule::normalise(Tape& tape, SparseVar a) {
  if (config_.symmetrise == Symmetrise::kMean) a = symmetrise(tape, a, SymmetricForm::kMean);
  if (config_.symmetrise == Symmetrise::kMax) a = symmetrise(tape, a, SymmetricForm::kMax);
  return gcn_norm(tape, a);
}

// The loss compares it with the first graph, or the next epoch reads its hops.
bool SubModule::needs_second_graph() const {
  const bool given_stays = inputs_.problem().graph && config_.given_graph == GivenGraph::kAlways;
  return config_.mu1 != 0.0 || (config_.last_graph == LastGraph::kSecond && !given_stays);
}

SparseVar SubModule::second_graph(Tape& tape, const ShownLabels& labels, Var hidden,
                                  const Pass& pass) {
  const RowsVar z{concat_labels(tape, Tape::constant(labels.dense), hidden), nullptr, nullptr};
  if (pass.choose || !second_choice_) {
    ChooseOptions options{.k = config_.k, .diagonal = config_.diagonal, .positive_only = true};
    if (second_choice_) options.likely = second_choice_->view();
    second_choice_ = graph_learn_choose(tape, z, nullptr, {}, options, false).pattern;
  }
  const auto work = kept_work(second_work_, second_choice_);
  return normalise(tape, {second_choice_, edge_dot(tape, second_choice_, z, work), nullptr, work});
}

// drop(X * s) W1, with s moved to the rows of W1: the mask commutes with s, and X needs no
// gradient.
Var SubModule::first_layer_input(Tape& tape, const Pass& pass) {
  const float rate = pass.training ? static_cast<float>(config_.dropout) : 0.0f;
  const Rng rng{config_.seed, Stream::kDropInput, number_, pass.epoch};
  const Var x = Tape::constant(inputs_.x());
  const Var w = scale_rows(tape, tape.parameter(w1_), tape.parameter(s_));
  if (!inputs_.is_sparse()) return dropout_linear(tape, x, w, rate, rng);
  return sparse_linear(tape, inputs_.x_pattern(), inputs_.x_by_column(),
                       dropout(tape, x, rate, rng), w);
}

SubModuleOutput SubModule::forward(Tape& tape, const ShownLabels& labels, const Pass& pass) {
  SubModuleOutput out;
  out.graph = learn_graph(tape, labels, pass);
  const Var hidden = relu(tape, spmm(tape, out.graph, first_layer_input(tape, pass)));
  const float rate = pass.training ? static_cast<float>(config_.dropout) : 0.0f;
  const Rng rng{config_.seed, Stream::kDropHidden, number_, pass.epoch};
  const Var second_input = linear(tape, dropout(tape, hidden, rate, rng), tape.parameter(w2_));
  out.prediction = row_softmax(tape, spmm(tape, out.graph, second_input));
  if (pass.training && needs_second_graph()) {
    out.second_graph = second_graph(tape, labels, hidden, pass);
  }
  return out;
}

}  // namespace glgnn
