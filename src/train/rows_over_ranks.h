// Work on rows that are owned by ranks: no process has all of them (kernels/rows_apart.h says what
// is computed, dist/all_pairs.h who computes it).
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>
#include <vector>

#include "dist/all_pairs.h"
#include "dist/ranks.h"
#include "kernels/rows_apart.h"

namespace glgnn {

// The neighbours of a rank's own rows.
struct OwnNeighbours {
  int64_t wide = 0;            // min(k, rows of all ranks - 1)
  std::vector<int32_t> col;    // own rows x wide, the best first
  std::vector<float> t;        // of each, as the kernels define it
  std::vector<int64_t> count;  // how many of them a row has
  std::vector<float> lse;      // of each row; empty where it is not wanted
  PairCosts costs;
};

// Every rank calls it with its rows, rows_of_rank(options.all_rows, ...). The neighbours are those
// that one process finds; lse is summed in an order that depends on the number of ranks.
OwnNeighbours choose_over_ranks(MatView<const float> own, const ApartOptions& options, int threads,
                                Ranks& ranks);

// d_z += the gradient of the own rows, from that of every row's lse; lse and d_lse are of own rows.
// Summed in an order that depends on the number of ranks.
PairCosts lse_backward_over_ranks(MatView<float> d_z, const float* d_lse, MatView<const float> own,
                                  const float* lse, int64_t all_rows, int threads, Ranks& ranks);

}  // namespace glgnn
