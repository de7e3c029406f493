// Training in best mode: a pool of modules, each on its own, then the network of graphs over them.
#pragma once

#include <glgnn/trainer.h>

namespace glgnn {

FitResult fit_best(const Problem& problem, const Config& config, const Context& context,
                   const FitOptions& options);

// Bytes that fit_best() will need at the most, on two threads.
int64_t estimate_best_memory(const Features& features, int64_t classes, const Config& config);

}  // namespace glgnn
