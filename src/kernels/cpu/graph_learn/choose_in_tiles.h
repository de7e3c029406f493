// graph_learn_choose by tiles of dense rows, for sparse Z that is nearly dense.
#pragma once

#include "kernels/graph_learn.h"

namespace glgnn::cpu {

void choose_in_tiles(int32_t* col, int64_t* count, float* lse, const ZSparse<float>& z,
                     const HopWeights<float>& hops, const ChooseOptions& options, int threads);

}  // namespace glgnn::cpu
