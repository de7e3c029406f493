#include "fitted.h"

#include <glgnn/error.h>

#include <string>

#include "apart.h"
#include "data/data.h"

namespace glgnn::python {

NewRowPredictions Fitted::predict(Features rows, int64_t near) const {
  if (model_.features.is_sparse) {
    make_sparse(rows);
  } else {
    make_dense(rows);
  }
  apply_scale(rows, model_.plan.scale);
  return run_apart([&] {
    {
      const std::scoped_lock locked(lock_);
      if (!predictor_) predictor_.emplace(model_, context_);
    }
    return predictor_->predict(rows, near);
  });
}

Explanation Fitted::explain(int32_t row) const {
  const int64_t rows = model_.probabilities.rows();
  if (row < 0 || row >= rows) {
    throw Error(ErrorKind::kUsage, "no such row to explain: found " + std::to_string(row) +
                                       ", expected a number from 0 to " + std::to_string(rows - 1));
  }
  return run_apart([&] {
    {
      const std::scoped_lock locked(lock_);
      if (!explainer_) explainer_.emplace(model_, context_);
    }
    return explainer_->explain(row);
  });
}

}  // namespace glgnn::python
