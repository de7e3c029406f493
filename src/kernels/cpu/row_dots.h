// Dot products of dense rows as plain functions, for code that is not written in Highway.
#pragma once

#include <cstdint>

namespace glgnn::cpu {

using RowDot = float (*)(const float* x, const float* y, int64_t n);

// x . y of n numbers, by the best instructions of this machine.
RowDot row_dot();

}  // namespace glgnn::cpu
