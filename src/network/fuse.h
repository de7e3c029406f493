// The network of graphs of best mode: which modules count, and how much, by validation labels.
#pragma once

#include <glgnn/config.h>
#include <glgnn/model.h>

#include <vector>

#include "modules/module.h"

namespace glgnn {

struct Fusion {
  std::vector<size_t> members;  // of all modules, the best first
  std::vector<double> weights;  // N_agg,m of each member; they sum to 1
  Matrix p;                     // the weighted mean of their predictions
  Score score;
};

// How much each member counts, by its score; they sum to 1. The first has the best score.
std::vector<double> weights_by_score(const std::vector<double>& scores);

// Joins the best modules on the validation rows.
Fusion fuse_modules(const std::vector<ModuleResult>& modules, const Problem& problem,
                    const Config& config);

// What the network teaches: its prediction, and the features its members selected, weighed.
ModuleStart network_start(const std::vector<ModuleResult>& modules, const Fusion& fusion);

// (M + 1) x (M + 1): how much the predictions of two members, and of each and the fused one, agree;
// in the last row how much each member counts.
Matrix agreement_network(const std::vector<const Matrix*>& members, const Matrix& fused,
                         const std::vector<double>& weights);

}  // namespace glgnn
