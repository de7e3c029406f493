// fit() by several processes, each with the same arguments: in best mode they share the modules, to
// the bits of one. Only rank 0 gets a model, and only it may have callbacks and a checkpoint.
#pragma once

#include <glgnn/trainer.h>

#include "dist/ranks.h"

namespace glgnn {

FitResult fit_over_ranks(const Problem& problem, const Config& config, const Context& context,
                         const FitOptions& options, Ranks& ranks);

}  // namespace glgnn
