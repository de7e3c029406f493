#include "methods/methods.h"

#include <glgnn/error.h>

#include <algorithm>

#include "core/nearest.h"
#include "core/rng.h"

namespace glgnn {

const std::vector<Method>& all_methods() {
  static const std::vector<Method> methods{
      logreg_method(),
      linear_svm_method(),
      rbf_svm_method(),
      forest_method(),
      mlp_method(),
      label_propagation_method(),
      label_spreading_method(),
      self_training_method(),
      manifold_method(),
      semi_embedding_method(),
      sparse_gcn_method(),
      dense_gcn_method(),
      rbf_gcn_method(),
      knn_gcn_method(),
      gat_method(),
      gcn_method(),
      deepwalk_method(),
      ica_method(),
      graph_heat_method(),
      gmnn_method(),
      lds_method(),
      idgl_method(),
      grcn_method(),
      pro_gnn_method(),
      glcn_method(),
      slaps_method(),
      sublime_method(),
      planetoid_method(),
      graphite_method(),
  };
  return methods;
}

const Method& method_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Method& method : all_methods()) {
    if (method.name == name) return method;
    names.push_back(method.name);
  }
  std::string like;
  for (const auto& near : nearest_names(name, names)) {
    like += (like.empty() ? "\"" : ", \"") + near + "\"";
  }
  throw Error(ErrorKind::kUsage, "unknown method \"" + std::string(name) + "\"; similar: " + like +
                                     "; `glgnn methods` lists all");
}

namespace {

Error unknown_setting(const Method& method, const std::string& name) {
  std::string names;
  for (const auto& setting : method.settings) {
    names += (names.empty() ? "" : ", ") + setting.name;
  }
  return {ErrorKind::kUsage, "unknown setting \"" + name + "\" of the method " + method.name +
                                 "; it has: " + (names.empty() ? "none" : names)};
}

std::vector<MethodSetting> narrowed(const Method& method, const GivenValues& given) {
  std::vector<MethodSetting> settings = method.settings;
  for (const auto& [name, values] : given) {
    const auto found = std::ranges::find(settings, name, &MethodSetting::name);
    if (found == settings.end()) throw unknown_setting(method, name);
    found->start = values.front();
    found->tried = values;
  }
  return settings;
}

}  // namespace

std::vector<MethodValues> draw_settings(const Method& method, int64_t budget,
                                        const GivenValues& given) {
  const std::vector<MethodSetting> settings = narrowed(method, given);
  std::vector<MethodValues> drawn(1);
  for (const auto& setting : settings) drawn[0][setting.name] = setting.start;
  // Draws that came before are thrown away; where nearly all did, there are few others.
  const int64_t most_draws = 20 * budget;
  for (int64_t d = 0; d < most_draws && std::ssize(drawn) < budget; ++d) {
    const Rng rng{0, Stream::kModules, 0, static_cast<uint32_t>(d)};
    MethodValues values;
    for (size_t s = 0; s < settings.size(); ++s) {
      const auto& tried = settings[s].tried;
      const auto at = static_cast<size_t>(rng.uniform(s) * static_cast<float>(tried.size()));
      values[settings[s].name] = tried[std::min(at, tried.size() - 1)];
    }
    if (std::ranges::find(drawn, values) == drawn.end()) drawn.push_back(std::move(values));
  }
  return drawn;
}

}  // namespace glgnn
