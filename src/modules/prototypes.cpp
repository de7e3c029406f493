#include "modules/prototypes.h"

#include "modules/feature_products.h"

namespace glgnn {

Matrix LinearHead::logits(const Features& x) const {
  Matrix out(x.rows(), weights.cols());
  feature_times(out, x, weights, 1);
  for (int64_t i = 0; i < out.rows(); ++i) {
    for (int64_t c = 0; c < out.cols(); ++c) out[i][c] += offset.data()[c];
  }
  return out;
}

}  // namespace glgnn
