// Training in best mode: a pool of modules, each on its own, then the network of graphs over them.
#pragma once

#include <glgnn/trainer.h>

namespace glgnn {

FitResult fit_pool(const Problem& problem, const Config& config, const Context& context,
                   const FitOptions& options);

}  // namespace glgnn
