// Who agrees with whom: the relation between the modules of a network of graphs.
#pragma once

#include <glgnn/matrix.h>
#include <glgnn/model.h>

#include <vector>

#include "modules/module.h"
#include "network/weights.h"

namespace glgnn {

// N_agg,m = alpha_m,agg b_m, made to sum 1: b_m is what a member counts by validation, alpha how
// much it agrees with what all say together. (The paper learns b by gradient: graph_network.h.)
NetworkWeights weigh_by_agreement(NetworkWeights network, const std::vector<ModuleResult>& modules,
                                  int threads = 1);

// (M + 1) x (M + 1): how much the predictions of two modules, and of each and the fused one, agree;
// in the last row how much each module counts.
Matrix relation_of(const std::vector<FittedModule>& modules, const Matrix& fused, int threads = 1);

}  // namespace glgnn
