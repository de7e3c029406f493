// Every method, one line and one file each; and the search for a method's settings, the same for
// all: its own start, then random draws. Which of them is taken is chosen by each run's validation
// labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "methods/method.h"

namespace glgnn {

// In the order in which they are shown.
const std::vector<Method>& all_methods();

// kUsage, naming those most like it, where there is none of this name.
const Method& method_named(std::string_view name);

// Values that a person gave for a setting: the search draws from these instead.
using GivenValues = std::vector<std::pair<std::string, std::vector<double>>>;

// At most `budget` different assignments of all settings, fewer where there are no more. The first
// is the method's start, or a person's first values. kUsage where the method has no such setting.
std::vector<MethodValues> draw_settings(const Method& method, int64_t budget,
                                        const GivenValues& given);

Method logreg_method();
Method linear_svm_method();
Method rbf_svm_method();
Method forest_method();
Method mlp_method();
Method label_propagation_method();
Method label_spreading_method();
Method self_training_method();
Method manifold_method();
Method semi_embedding_method();
Method knn_gcn_method();
Method rbf_gcn_method();
Method dense_gcn_method();
Method sparse_gcn_method();
Method gat_method();
Method gcn_method();
Method deepwalk_method();
Method ica_method();
Method graph_heat_method();
Method gmnn_method();
Method lds_method();
Method idgl_method();
Method grcn_method();
Method pro_gnn_method();
Method glcn_method();
Method slaps_method();
Method sublime_method();
Method planetoid_method();
Method graphite_method();

}  // namespace glgnn
