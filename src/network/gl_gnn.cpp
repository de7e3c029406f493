#include "network/gl_gnn.h"

#include <algorithm>
#include <cmath>

#include "core/rows.h"
#include "network/fuse.h"

namespace glgnn {
namespace {

int64_t attention_rows(const Config& config, const Inputs& inputs) {
  return config.attention == Attention::kPerRow ? inputs.rows() : 1;
}

int64_t weight_size(const Config& config) {
  return config.network_weight == NetworkWeight::kMatrix ? config.modules + 1 : 1;
}

}  // namespace

GraphNetwork::GraphNetwork(const Config& config, const Inputs& inputs)
    : config_(config),
      agg_("network.agg", inputs.rows(), inputs.classes(),
           1.0f / static_cast<float>(inputs.classes())),
      a_("network.a", attention_rows(config, inputs), inputs.classes(), 1.0f),
      b_("network.b", weight_size(config), weight_size(config)),
      previous_(agg_.value),
      mean_weights_(1, config.modules, 1.0f / static_cast<float>(config.modules)) {
  for (int64_t u = 0; u < b_.value.rows(); ++u) {
    b_.value[u][u] = static_cast<float>(config.network_start);
  }
}

std::vector<Parameter*> GraphNetwork::parameters() {
  if (config_.aggregation == Aggregation::kTrained) return {&agg_, &a_, &b_};
  return {&a_, &b_};
}

Var GraphNetwork::aggregation_module(Tape& tape, std::span<const Var> predictions) {
  switch (config_.aggregation) {
    case Aggregation::kTrained:
      return tape.parameter(agg_);
    case Aggregation::kMean:
      return network_mix(tape, predictions, Tape::constant(mean_weights_), 0);
    case Aggregation::kPrevious:
      return Tape::constant(previous_);
    case Aggregation::kConstant:
      break;
  }
  return Tape::constant(agg_.value);
}

GraphNetworkOutput GraphNetwork::forward(Tape& tape, std::span<const Var> predictions,
                                         const NetworkOverRanks& over) {
  std::vector<Var> all(predictions.begin(), predictions.end());
  all.push_back(aggregation_module(tape, predictions));
  Var alpha = network_alpha(tape, all, tape.parameter(a_));
  if (over.mean_of_all) alpha = over.mean_of_all(alpha);
  if (!config_.alpha_mean) alpha = scale(tape, alpha, static_cast<float>(all[0].rows()));
  const Var b = tape.parameter(b_);
  Var network = config_.network_weight == NetworkWeight::kMatrix ? linear(tape, alpha, b)
                                                                 : scale_all(tape, alpha, b);
  if (over.alike) network = over.alike(network);
  return {network, network_mix(tape, all, network, config_.modules)};
}

Csr to_csr(const SparseVar& a) {
  return {a.pattern, {a.values.data(), a.values.data() + a.values.rows()}};
}

GlGnn::GlGnn(const Problem& problem, const Config& config, const Context& context)
    : config_(config),
      context_(context),
      inputs_(problem, config, context),
      network_(config, inputs_) {
  if (problem.classes_alike) {
    const std::vector<double> weights =
        balanced_class_weights(problem.labels, problem.train, problem.classes);
    const auto rows = static_cast<double>(problem.train.size());
    targets_ = Matrix(inputs_.rows(), problem.classes);
    row_weights_ = Matrix(inputs_.rows(), 1);
    for (const int32_t i : problem.train) {
      targets_[i][problem.labels[i]] = 1.0f;
      row_weights_.data()[i] = static_cast<float>(weights[problem.labels[i]] / rows);
    }
  }
  for (int64_t m = 0; m < config.modules; ++m) {
    SubModule& module = modules_.emplace_back(config, inputs_, static_cast<uint32_t>(m));
    if (!problem.graph) continue;
    if (m == 0) {
      module.set_hop_graph(*problem.graph);
    } else {
      module.share_hop_graph(modules_.front());
    }
  }
}

std::vector<Parameter*> GlGnn::parameters() {
  std::vector<Parameter*> all;
  for (SubModule& module : modules_) {
    for (Parameter* p : module.parameters()) all.push_back(p);
  }
  for (Parameter* p : network_.parameters()) all.push_back(p);
  return all;
}

ShownLabels GlGnn::shown_labels(const Pass& pass) const {
  if (!pass.training) {
    if (config_.eval_labels == EvalLabels::kZero) return inputs_.no_labels();
    return inputs_.show_labels([](int32_t) { return true; });
  }
  // A hidden half each epoch, so that a loss row does not pick its neighbours by its own label.
  const Rng rng{config_.seed, Stream::kHideLabels, 0, pass.epoch};
  const float hide = static_cast<float>(config_.label_hide);
  return inputs_.show_labels([&](int32_t row) { return rng.uniform(row) >= hide; });
}

GlGnnOutput GlGnn::forward(Tape& tape, const Pass& pass) {
  const ShownLabels& labels = tape.keep(shown_labels(pass));
  GlGnnOutput out;
  std::vector<Var> predictions;
  for (SubModule& module : modules_) {
    out.modules.push_back(module.forward(tape, labels, pass));
    predictions.push_back(out.modules.back().prediction);
  }
  out.network = network_.forward(tape, predictions);
  return out;
}

double GlGnn::cross_entropy_of(Tape& tape, Var logits) {
  const Problem& problem = inputs_.problem();
  const auto mu2 = static_cast<float>(config_.mu2);
  if (problem.classes_alike) return soft_cross_entropy(tape, logits, targets_, row_weights_, mu2);
  return cross_entropy(tape, logits, problem.train, problem.labels, mu2);
}

LossTerms GlGnn::loss(Tape& tape, const GlGnnOutput& out) {
  LossTerms terms;
  const float mu1 = static_cast<float>(config_.mu1 / static_cast<double>(config_.modules) /
                                       static_cast<double>(inputs_.rows()));
  for (const SubModuleOutput& module : out.modules) {
    if (mu1 == 0.0f) continue;
    terms.graph += mu1 * sparse_l1(tape, module.graph, module.second_graph, mu1);
  }
  terms.entropy = config_.mu2 * cross_entropy_of(tape, out.network.logits);
  const float decay = static_cast<float>(config_.weight_decay);
  for (SubModule& module : modules_) {
    terms.decay += decay * sum_squares(tape, tape.parameter(module.first_weights()), decay);
    if (config_.decay_on == DecayOn::kAll) {
      terms.decay += decay * sum_squares(tape, tape.parameter(module.second_weights()), decay);
    }
  }
  return terms;
}

void GlGnn::finish_epoch(const GlGnnOutput& out, bool chosen) {
  const Problem& problem = inputs_.problem();
  const bool given_stays = problem.graph && config_.given_graph == GivenGraph::kAlways;
  for (size_t m = 0; m < modules_.size() && chosen && !given_stays; ++m) {
    const SubModuleOutput& module = out.modules[m];
    const Csr last =
        to_csr(config_.last_graph == LastGraph::kSecond ? module.second_graph : module.graph);
    const bool join = problem.graph && config_.given_graph == GivenGraph::kUnion;
    modules_[m].set_hop_graph(join ? weighted_union({problem.graph, &last}, {1.0f, 1.0f}) : last);
  }
  if (config_.aggregation == Aggregation::kPrevious) {
    Tape tape(context_, false);
    network_.previous() = *row_softmax(tape, out.network.logits).value;
  }
}

void GlGnn::finish_step() {
  for (SubModule& module : modules_) {
    module.neighbours().forget_label_free();
    if (!config_.select_non_negative) continue;
    Matrix& s = module.selection().value;
    for (int64_t f = 0; f < s.size(); ++f) s.data()[f] = std::max(s.data()[f], 0.0f);
  }
}

}  // namespace glgnn
