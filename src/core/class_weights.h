// How much rows count where every class is to count alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace glgnn {

// |rows| / (classes with rows * rows of the class), so that the rows' weights have mean 1; 0 for a
// class without rows.
std::vector<double> balanced_class_weights(std::span<const int32_t> labels,
                                           std::span<const int32_t> rows, int64_t classes);

}  // namespace glgnn
