// How much each module of a pool counts, by validation labels, once they are fitted. (The paper's
// network learns its weights by gradient, with the modules: gl_gnn.h.)
#pragma once

#include <glgnn/config.h>
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

}  // namespace glgnn
