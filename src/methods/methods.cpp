#include "methods/methods.h"

#include <glgnn/error.h>

#include <string>

#include "core/nearest.h"

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

}  // namespace glgnn
