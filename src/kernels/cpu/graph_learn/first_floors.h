// Where the search for the k best pairs of a row may begin: a bound that the k best are sure to
// surpass.
//
// If a row lists k pairs, its k-th best is not worse than the worst of them. S is computed here by
// another order of sums than in the tiles, hence the bound is lowered by what the two may differ
// in: D units in the last place of |Z_i| |Z_j|.
#pragma once

#include "kernels/cpu/graph_learn/packed_rows.h"
#include "kernels/cpu/graph_learn/row_handler.h"
#include "kernels/graph_learn.h"

namespace glgnn::cpu {

// One number for each row, valid until the thread's next call; null where nothing is known.
const float* first_floors(const ZDense<float>& z, const RowRule& rule, PatternView likely,
                          int threads);
const float* first_floors(const ZSparse<float>& z, const RowRule& rule, PatternView likely,
                          int threads);
inline const float* first_floors(const ZNear&, const RowRule&, PatternView, int) { return nullptr; }

}  // namespace glgnn::cpu
