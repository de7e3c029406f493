// What several processes do together (train/trainers.h).
#pragma once

#include <glgnn/fit_dataset.h>

#include "dist/ranks.h"

namespace glgnn {

// fit_dataset(), all with the same data.
FitResult fit_dataset_over_ranks(Dataset dataset, const Split& split, const Config& config,
                                 const Context& context, const FitOptions& options, Ranks& ranks);

// Prepares own rows as one process prepares all: columns with the same value in every row are left
// out, the others scaled, to the same bits. Gives the scaling that was taken.
Scaling prepare_own_rows(Features& own, int64_t all_rows, Scaling asked, Ranks& ranks);

}  // namespace glgnn
