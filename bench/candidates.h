// Exact against approximate neighbours of random rows: from how many rows on the latter are faster.
// Not a part of the full run.
#pragma once

#include <vector>

#include "bench/bench.h"
#include "bench/result.h"

namespace glgnn::bench {

std::vector<Result> measure_candidates(const Options& options);

}  // namespace glgnn::bench
