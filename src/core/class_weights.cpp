#include "core/class_weights.h"

namespace glgnn {

std::vector<double> balanced_class_weights(std::span<const int32_t> labels,
                                           std::span<const int32_t> rows, int64_t classes) {
  std::vector<int64_t> count(classes, 0);
  for (const int32_t row : rows) ++count[labels[row]];
  int64_t present = 0;
  for (const int64_t rows_of_class : count) present += rows_of_class > 0;
  std::vector<double> weights(classes, 0.0);
  for (int64_t c = 0; c < classes; ++c) {
    if (count[c] == 0) continue;
    weights[c] = static_cast<double>(rows.size()) / static_cast<double>(present * count[c]);
  }
  return weights;
}

}  // namespace glgnn
