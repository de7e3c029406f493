// Training in paper mode: modules and their network of graphs together, by gradient.
#pragma once

#include <glgnn/trainer.h>

namespace glgnn {

FitResult fit_paper(const Problem& problem, const Config& config, const Context& context,
                    const FitOptions& options);

}  // namespace glgnn
