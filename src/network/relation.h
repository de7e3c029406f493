// Who agrees with whom: the relation between the modules of a network of graphs.
#pragma once

#include <glgnn/matrix.h>
#include <glgnn/model.h>

#include <vector>

namespace glgnn {

// (M + 1) x (M + 1): how much the predictions of two modules, and of each and the fused one, agree;
// in the last row how much each module counts.
Matrix relation_of(const std::vector<FittedModule>& modules, const Matrix& fused);

}  // namespace glgnn
