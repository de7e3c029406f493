#include "network/graph_network.h"

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

GraphNetworkOutput GraphNetwork::forward(Tape& tape, std::span<const Var> predictions) {
  std::vector<Var> all(predictions.begin(), predictions.end());
  all.push_back(aggregation_module(tape, predictions));
  Var alpha = network_alpha(tape, all, tape.parameter(a_));
  if (!config_.alpha_mean) alpha = scale(tape, alpha, static_cast<float>(all[0].rows()));
  const Var b = tape.parameter(b_);
  const Var network = config_.network_weight == NetworkWeight::kMatrix ? linear(tape, alpha, b)
                                                                       : scale_all(tape, alpha, b);
  return {network, network_mix(tape, all, network, config_.modules)};
}

}  // namespace glgnn
