// Models come from strangers' files: every number that is used as a place in memory is checked.
#pragma once

#include <glgnn/model.h>

namespace glgnn {

// Throws kData, and says of which part, unless all parts of a model belong together: then predict,
// explain, report and graph can use it.
void validate(const Model& model);

}  // namespace glgnn
