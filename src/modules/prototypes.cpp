#include "modules/prototypes.h"

#include <glgnn/error.h>

#include "core/validate.h"
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

int64_t StateShape::columns(const std::string& what, View view) const {
  if (const auto found = views.find(view); found != views.end()) return found->second.columns;
  throw Error(ErrorKind::kData,
              what + ": found no view \"" + view_name(view) + "\", expected those that it reads");
}

void LinearHead::check(const std::string& what, int64_t inputs, int64_t outputs) const {
  check_matrix(what + ", weights", weights, inputs, outputs);
  check_matrix(what + ", offset", offset, 1, outputs);
}

void PrototypeState::check(const std::string& what, const StateShape& fitted) const {
  const int64_t columns = fitted.columns(what, input);
  if (fitted.is_kept || !head.weights.empty()) head.check(what, columns, fitted.classes);
}

}  // namespace glgnn
