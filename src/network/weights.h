// How much each module of a pool counts once they are fitted, by validation labels and by who
// agrees with whom. (The paper's network learns its weights by gradient, with the modules:
// gl_gnn.h.)
#pragma once

#include <glgnn/config.h>
#include <glgnn/matrix.h>
#include <glgnn/model.h>
#include <glgnn/trainer.h>

#include <vector>

#include "modules/module.h"

namespace glgnn {

struct NetworkWeights {
  std::vector<size_t> members;      // of all modules, the best first
  std::vector<double> weights;      // N_agg,m of each member; they sum to 1
  std::vector<double> sharpness{};  // of each member (held_back.h); empty: all stay as they are
};

// How much each member counts, by its score; they sum to 1. The first has the best score.
std::vector<double> weights_by_score(const std::vector<double>& scores);

NetworkWeights weights_by_validation(const std::vector<ModuleResult>& modules,
                                     const Problem& problem, const Config& config);

// N_agg,m = alpha_m,agg b_m, made to sum 1: b_m is what a member counts by validation, alpha how
// much it agrees with what all say together.
NetworkWeights weigh_by_agreement(NetworkWeights network, const std::vector<ModuleResult>& modules,
                                  int threads = 1);

// (M + 1) x (M + 1): how much the predictions of two modules, and of each and the fused one, agree;
// in the last row how much each module counts.
Matrix relation_of(const std::vector<FittedModule>& modules, const Matrix& fused, int threads = 1);

}  // namespace glgnn
