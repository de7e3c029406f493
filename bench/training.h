// Parts (b) and (d): training epochs, beside PyTorch on shipped sets and alone on growing ones.
#pragma once

#include <vector>

#include "bench/bench.h"
#include "bench/result.h"

namespace glgnn::bench {

std::vector<Result> measure_epochs(const Options& options);
Json child_epoch(const std::string& dataset, const Options& options);

// A whole training whose neighbours are chosen anew every tenth epoch only.
Json child_refresh(const std::string& dataset, const Options& options);

std::vector<Result> measure_scaling(const Options& options);
Json child_scaling(int64_t rows, const Options& options);
// {"seconds": ..., "peak_mb": ...} over all sizes and over the larger half.
Json scaling_exponents(const std::vector<Result>& results);

}  // namespace glgnn::bench
