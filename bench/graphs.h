// The part "graphs" of glgnn-bench: building the exact graph of the k most similar rows alone,
// beside faiss's exact search, scikit-learn and hnswlib on the same numbers.
#pragma once

#include <vector>

#include "bench/bench.h"
#include "bench/result.h"

namespace glgnn::bench {

std::vector<Result> measure_graphs(const Options& options);
// Leaves rows.npy (N x F, unit rows) and chosen.npy (N x k) in `folder` for the peers.
Json child_graph(const std::string& dataset, const std::string& folder, const Options& options);

}  // namespace glgnn::bench
