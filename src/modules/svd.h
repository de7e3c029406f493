// Truncated singular value decomposition by subspace iteration.
#pragma once

#include <glgnn/dataset.h>

namespace glgnn {

struct Directions {
  Matrix scores;      // X V = U_r S_r, N x min(r, F): the rows in these directions
  Matrix directions;  // V, F x min(r, F)
};

// The r directions in which the rows differ most from zero. Deterministic: the start is drawn from
// a fixed seed.
Directions leading_directions(const Features& x, int64_t r, int threads);

}  // namespace glgnn
