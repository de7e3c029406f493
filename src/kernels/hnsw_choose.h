// Choosing the learned graph approximately: as graph_learn_choose, for very many rows.
//
// The rows with the largest Z_i . Z_j are looked up in HNSW indexes; the k best of t = S + log h
// are then chosen among them and all near pairs. Rows are cut into parts of equal size, each with
// an index of its own, built by one thread from the first row to the last; every row is looked up
// in all of them. Parts depend on the number of rows alone, so do the bits. Saved: nothing; memory
// O(N D) for the indexes. Cost about O(N D log N), with a large factor: docs/cli.md says from which
// N on it pays.
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>

#include "kernels/graph_learn.h"

namespace glgnn::cpu {

// col, count: as graph_learn_choose.
void hnsw_choose(int32_t* col, int64_t* count, const ZDense<float>& z,
                 const HopWeights<float>& hops, const ChooseOptions& options, int threads);

// The part of the pairs chosen for `sample` rows, spread evenly, that are as good as the k best of
// all rows: 1 where the choice is exact.
double choice_recall(const int32_t* col, const int64_t* count, const ZDense<float>& z,
                     const HopWeights<float>& hops, const ChooseOptions& options, int64_t sample,
                     int threads);

}  // namespace glgnn::cpu
