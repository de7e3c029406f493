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

// What softplus makes the starts of V_1, V_2 .. V_K and V_o.
void start_hop_weights(Matrix& v, const Config& config) {
  const auto before_softplus = [](double start) {
    return static_cast<float>(std::log(std::expm1(start)));
  };
  v.fill(before_softplus(config.second_start));
  v.data()[0] = before_softplus(config.near_start);
  v.data()[config.hops] = before_softplus(config.far_start);
}

// At the start a column hears itself, and a little of the columns that are like it.
void start_columns(Matrix& pairs, Matrix& shares, const Csr& columns) {
  constexpr float kSharpness = 5, kOwn = 1, kOthers = 0.3f;
  for (int64_t e = 0; e < pairs.size(); ++e) {
    pairs.data()[e] = kSharpness * columns.values[e];
  }
  shares.data()[0] = std::log(std::expm1(kOwn));
  shares.data()[1] = std::log(std::expm1(kOthers));
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
      v_(parameter_name(number, "v"), 1, config.hops + 1),
      b1_(parameter_name(number, "b1"), 1, config.hidden),
      b2_(parameter_name(number, "b2"), 1, inputs.classes()),
      pairs_(parameter_name(number, "column_pairs"), inputs.columns().nnz(), 1),
      shares_(parameter_name(number, "column_shares"), 1, 2),
      neighbours_(config, number) {
  const auto rng = [&](InitStep step) { return Rng{config.seed, Stream::kInit, number, step}; };
  start_selection(s_.value, rng(kSelectionStep), config.select_start);
  start_glorot(w1_.value, rng(kFirstWeightsStep));
  start_glorot(w2_.value, rng(kSecondWeightsStep));
  start_hop_weights(v_.value, config);
  if (config.feature_graph) start_columns(pairs_.value, shares_.value, inputs.columns());
  hops_ = std::make_shared<HopPairs>();
  hops_->hops = config.hops;
}

std::vector<Parameter*> SubModule::parameters() {
  std::vector<Parameter*> all{&s_, &w1_, &w2_, &v_};
  if (config_.bias) all.insert(all.end(), {&b1_, &b2_});
  if (config_.feature_graph) all.insert(all.end(), {&pairs_, &shares_});
  return all;
}

void SubModule::set_hop_graph(const Csr& graph) {
  neighbours_.forget_hops();
  hop_graph_ = graph;
  hops_ = std::make_shared<HopPairs>(
      config_.hop_form == HopForm::kShells
          ? hop_shells(graph.pattern, config_.hops)
          : hop_powers(graph.pattern->view(), graph.values.data(), config_.hops));
}

void SubModule::share_hop_graph(const SubModule& other) {
  neighbours_.forget_hops();
  hop_graph_ = other.hop_graph_;
  hops_ = other.hops_;
}

// Z / sqrt(tau): the temperature is put into s and the labels, which costs nothing.
RowsVar SubModule::select_features(Tape& tape, const ShownLabels& labels) {
  const float shrink = 1.0f / std::sqrt(static_cast<float>(inputs_.temperature()));
  const Var s = shrink == 1.0f ? tape.parameter(s_) : scale(tape, tape.parameter(s_), shrink);
  const Var x = Tape::constant(inputs_.x()), shown = Tape::constant(labels.first);
  // Only these readings need Z itself; it is large.
  const bool keeps_z = config_.similarity == Similarity::kCosine || needs_all_rows_sum(config_);
  if (!inputs_.is_sparse() && !keeps_z) return selected_rows(x, s, shown);
  RowsVar z = inputs_.is_sparse()
                  ? feature_select(tape, inputs_.xl_pattern(), inputs_.xl_by_column(),
                                   Tape::constant(labels.xl_values), s, inputs_.label_cols())
                  : feature_select(tape, x, s, shown);
  return config_.similarity == Similarity::kCosine ? unit_rows(tape, z, shrink) : z;
}

SparseVar SubModule::learn_graph(Tape& tape, const ShownLabels& labels, const Pass& pass) {
  const RowsVar z = select_features(tape, labels);
  const Var hop_weights = softplus(tape, tape.parameter(v_));
  const auto [pattern, lse, work] = neighbours_.first(tape, z, *hops_, hop_weights, labels, pass);
  const Var similarity = edge_dot(tape, pattern, z, work);
  const Var probability = needs_all_rows_sum(config_) ? edge_exp(tape, pattern, similarity, lse)
                                                      : edge_softmax(tape, pattern, similarity);
  SparseVar a{pattern, probability, nullptr, work};
  // Before there is a graph all pairs have the same hop weight, which scaling the rows removes; its
  // gradient would be rounding alone, and Adam would make a step of it.
  const bool all_alike = !hops_->has_graph() && config_.rescale != Rescale::kNone;
  if (!all_alike) {
    const Var hop = hop_gather(tape, pattern, *hops_, hop_weights, work);
    a.values = multiply(tape, probability, hop);
  }
  return normalise(tape, rescale(tape, a));
}

SparseVar SubModule::rescale(Tape& tape, SparseVar a) {
  switch (config_.rescale) {
    case Rescale::kSumK:
      return row_scale(tape, a, {.target = static_cast<float>(config_.k)});
    case Rescale::kSumOne:
      return row_scale(tape, a, {});
    case Rescale::kLargestOne:
      return row_scale(tape, a, {.by_largest = true});
    case Rescale::kNone:
      break;
  }
  return a;
}

SparseVar SubModule::normalise(Tape& tape, SparseVar a) {
  if (config_.symmetrise == Symmetrise::kNone) return gcn_norm(tape, a);
  const bool mean = config_.symmetrise == Symmetrise::kMean;
  return symmetric_norm(tape, a, mean ? SymmetricForm::kMean : SymmetricForm::kMax);
}

// The loss compares it with the first graph, or the next epoch reads its hops.
bool SubModule::needs_second_graph() const {
  const bool given_stays = inputs_.problem().graph && config_.given_graph == GivenGraph::kAlways;
  return config_.mu1 != 0.0 || (config_.last_graph == LastGraph::kSecond && !given_stays);
}

SparseVar SubModule::second_graph(Tape& tape, const ShownLabels& labels, Var hidden,
                                  const Pass& pass) {
  const RowsVar z{concat_labels(tape, Tape::constant(labels.second), hidden), nullptr, nullptr};
  const auto [pattern, lse, work] = neighbours_.second(tape, z, pass);
  return normalise(tape, {pattern, edge_dot(tape, pattern, z, work), nullptr, work});
}

SparseVar SubModule::column_graph(Tape& tape, Var pairs) const {
  const SharedPattern& columns = inputs_.columns().pattern;
  return {columns, edge_softmax(tape, columns, pairs), inputs_.columns_turned()};
}

// o W1 + g C W1: X C W1 is X with every column mixed of those like it, so that X stays as it is.
Var SubModule::heard_weights(Tape& tape, Var w1, const SparseVar& columns, Var shares) const {
  const Var both[] = {w1, spmm(tape, columns, w1)};
  return network_mix(tape, both, shares, 0);
}

Matrix SubModule::settle_columns(const Matrix& pairs, const Matrix& shares, Matrix& w1) const {
  Tape tape({}, false);
  const SparseVar graph = column_graph(tape, Tape::constant(pairs));
  const Var parts = softplus(tape, Tape::constant(shares));
  Matrix heard = *heard_weights(tape, Tape::constant(w1), graph, parts).value;
  w1 = std::move(heard);
  Matrix lines(graph.pattern->nnz(), 3);
  for (int64_t f = 0; f < graph.pattern->rows; ++f) {
    for (int64_t e = graph.pattern->row_ptr[f]; e < graph.pattern->row_ptr[f + 1]; ++e) {
      lines[e][0] = static_cast<float>(f);
      lines[e][1] = static_cast<float>(graph.pattern->col[e]);
      lines[e][2] = graph.values.data()[e] * parts.data()[1] / parts.data()[0];
    }
  }
  return lines;
}

// drop(X * s) W1, with s moved to the rows of W1: the mask commutes with s, and X needs no
// gradient.
Var SubModule::first_layer_input(Tape& tape, const Pass& pass) {
  const float rate = pass.training ? static_cast<float>(config_.dropout) : 0.0f;
  const Rng rng{config_.seed, Stream::kDropInput, number_, pass.epoch};
  const Var x = Tape::constant(inputs_.x());
  const Var w1 = tape.parameter(w1_);
  const Var heard = config_.feature_graph
                        ? heard_weights(tape, w1, column_graph(tape, tape.parameter(pairs_)),
                                        softplus(tape, tape.parameter(shares_)))
                        : w1;
  const Var w = scale_rows(tape, heard, tape.parameter(s_));
  if (!inputs_.is_sparse()) return dropout_linear(tape, x, w, rate, rng);
  return sparse_linear(tape, inputs_.x_pattern(), inputs_.x_by_column(),
                       dropout(tape, x, rate, rng), w);
}

Var SubModule::with_bias(Tape& tape, Var x, Parameter& b) {
  return config_.bias ? add_bias(tape, x, tape.parameter(b)) : x;
}

SubModuleOutput SubModule::forward(Tape& tape, const ShownLabels& labels, const Pass& pass) {
  SubModuleOutput out;
  out.graph = learn_graph(tape, labels, pass);
  const Var hidden =
      relu(tape, with_bias(tape, spmm(tape, out.graph, first_layer_input(tape, pass)), b1_));
  const float rate = pass.training ? static_cast<float>(config_.dropout) : 0.0f;
  const Rng rng{config_.seed, Stream::kDropHidden, number_, pass.epoch};
  const Var second_input = linear(tape, dropout(tape, hidden, rate, rng), tape.parameter(w2_));
  out.prediction = row_softmax(tape, with_bias(tape, spmm(tape, out.graph, second_input), b2_));
  if (pass.training && needs_second_graph()) {
    out.second_graph = second_graph(tape, labels, hidden, pass);
  }
  return out;
}

}  // namespace glgnn
