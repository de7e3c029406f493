// Part (a): every kernel beside the limit of its kind: bare sgemm of the same products for those
// that compute, a stream copy of the same bytes for those that move.
#pragma once

#include <vector>

#include "bench/bench.h"
#include "bench/result.h"

namespace glgnn::bench {

std::vector<Result> measure_kernels(const Options& options);

}  // namespace glgnn::bench
