// Training in best mode: a pool of modules, each on its own, then the network of graphs over them.
#pragma once

#include <glgnn/trainer.h>

#include <string>
#include <vector>

#include "dist/ranks.h"

namespace glgnn {

// The ranks share the modules; rank 0 alone gets the model.
FitResult fit_pool(const Problem& problem, const Config& config, const Context& context,
                   const FitOptions& options, Ranks& ranks);

// The lines that describe the modules of every fold in turn, in the order of their training.
std::vector<std::string> planned_modules(const Problem& problem, const Config& config);

}  // namespace glgnn
