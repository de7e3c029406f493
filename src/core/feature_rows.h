// A few rows of many.
#pragma once

#include <glgnn/dataset.h>

#include <cstdint>

namespace glgnn {

// Rows `begin` .. `end` - 1 of features, copied.
Features rows_of(const Features& features, int64_t begin, int64_t end);

}  // namespace glgnn
