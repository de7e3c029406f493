// The epochs of one training, timed in this process.
#pragma once

#include <glgnn/trainer.h>

#include "report/json.h"

namespace glgnn::bench {

struct EpochPlan {
  Context context;
  int64_t least = 2;   // epochs, after the first, which warms up and has no hop graph yet
  double seconds = 0;  // and more until so long has passed
};

// {"seconds": median, "peak_mb": ..., "extra": ...}; `dataset` is scaled in place, its graph
// unused.
Json time_epochs(Dataset& dataset, Config config, const EpochPlan& plan);

// {"seconds": of the whole training, "peak_mb": ..., "extra": ...}.
Json time_training(Dataset& dataset, Config config, const Context& context);

}  // namespace glgnn::bench
