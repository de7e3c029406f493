#include "model/frozen_model.h"

#include <glgnn/error.h>

#include "modules/kinds.h"

namespace glgnn {

FrozenModel::FrozenModel(const Model& model) : model_(model) {
  if (model.features.is_sparse) return;
  const Matrix& x = model.features.dense;
  for (int64_t f = 0; f < x.cols(); ++f) {
    double sum = 0;
    for (int64_t i = 0; i < x.rows(); ++i) sum += x[i][f];
    column_means_.push_back(static_cast<float>(sum / static_cast<double>(x.rows())));
  }
}

std::unique_ptr<FrozenModel> freeze(const Model& model, const Context& context) {
  if (model.features.rows() != model.probabilities.rows()) {
    throw Error(ErrorKind::kUsage, "the model has no data; keep_data() comes after fit()");
  }
  if (std::holds_alternative<PaperState>(*model.modules.front().state)) {
    return freeze_paper(model, context);
  }
  return freeze_pool(model, context);
}

}  // namespace glgnn
