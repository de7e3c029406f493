// What a model file keeps of a module, so that new rows can be treated as the fitted ones were.
#include <cmath>

#include "modules/module.h"

namespace glgnn {
namespace {

Matrix as_row(const std::vector<float>& values) {
  Matrix row(1, static_cast<int64_t>(values.size()));
  std::copy(values.begin(), values.end(), row.data());
  return row;
}

LinearHead prototypes_of(const ModuleResult& module, SharedInputs& shared, View input,
                         int threads) {
  const ModuleSpec& spec = module.spec;
  const Features& x = shared.view(input);
  if (spec.head == Head::kGaussian) {
    return gaussian_head(module.p, x.dense, shared.problem(), spec.gaussian, threads);
  }
  return multinomial_head(module.p, x, *module.graph, shared.problem(), spec.multinomial, threads);
}

}  // namespace

ModuleForm freeze_module(const ModuleResult& module, SharedInputs& shared, const Context& context,
                         const std::string& name, std::vector<NamedMatrix>& parameters) {
  const ModuleSpec& spec = module.spec;
  const bool has_layers = !module.layers.w1.empty();
  ModuleForm form;
  for (const View view : spec.views) form.views.push_back(view_name(view));
  form.input = view_name(spec.input);
  const View prototype_input = spec.head == Head::kGnnTaught ? spec.teacher_input : spec.input;
  form.prototype_input = view_name(prototype_input);
  form.k = spec.graph.k;
  form.euclidean = spec.graph.euclidean;
  form.self_weight = spec.graph.self_weight;
  form.label_weight = module.graph_knows_labels ? spec.graph.label_weight : 0;
  form.own_weight = module.own_weight;
  form.in_logits = has_layers;
  parameters.push_back({name + ".p", module.p});
  std::vector<float> links = module.graph_selection;
  for (float& weight : links) weight = static_cast<float>(std::pow(weight, spec.graph.select));
  parameters.push_back({name + ".links", as_row(links)});
  if (has_layers) {
    parameters.push_back({name + ".w1", module.layers.w1});
    parameters.push_back({name + ".b1", module.layers.b1});
    parameters.push_back({name + ".w2", module.layers.w2});
    parameters.push_back({name + ".b2", module.layers.b2});
  }
  if (module.has_prototypes) {
    LinearHead head = prototypes_of(module, shared, prototype_input, context.threads);
    parameters.push_back({name + ".prototypes", std::move(head.weights)});
    parameters.push_back({name + ".shares", std::move(head.offset)});
  }
  if (!module.landmarks.empty()) {
    const LandmarkHead& head = module.landmarks;
    parameters.push_back({name + ".landmarks", head.landmarks});
    parameters.push_back({name + ".landmark_weights", head.weights});
    parameters.push_back({name + ".landmark_links", head.links});
    parameters.push_back({name + ".prototypes", head.linear.weights});
    parameters.push_back({name + ".shares", head.linear.offset});
  }
  return form;
}

}  // namespace glgnn
