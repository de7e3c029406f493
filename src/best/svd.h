// Truncated singular value decomposition by subspace iteration.
#pragma once

#include <glgnn/dataset.h>

namespace glgnn {

// U_r S_r, N x min(r, F): the rows in the r directions in which they differ most from zero.
// Deterministic: the start is drawn from a fixed seed.
Matrix leading_directions(const Features& x, int64_t r, int threads);

}  // namespace glgnn
