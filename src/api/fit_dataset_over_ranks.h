// fit_dataset() by several processes (train/trainers.h).
#pragma once

#include <glgnn/fit_dataset.h>

#include "dist/ranks.h"

namespace glgnn {

FitResult fit_dataset_over_ranks(Dataset dataset, const Split& split, const Config& config,
                                 const Context& context, const FitOptions& options, Ranks& ranks);

}  // namespace glgnn
