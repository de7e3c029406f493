// What the modules of a network say together: their predictions, their graphs, their features.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/model.h>

#include <vector>

#include "modules/module.h"
#include "network/weights.h"

namespace glgnn {

// The weighted mean of the members' predictions.
Matrix fuse_predictions(const std::vector<ModuleResult>& modules, const NetworkWeights& network,
                        int threads = 1);

// The features that the members selected, weighed.
std::vector<float> fuse_selections(const std::vector<ModuleResult>& modules,
                                   const NetworkWeights& network);

// sum_m weight_m A_m on the union of the patterns.
Csr weighted_union(const std::vector<const Csr*>& graphs, const std::vector<float>& weights,
                   int threads = 1);

// softmax over each row's union of edges of sum_m weight_m A'_m: the learned graph, for people.
Csr fuse_graphs(const std::vector<FittedModule>& modules, int threads = 1);

}  // namespace glgnn
