#include "frozen/frozen_model.h"

#include <glgnn/error.h>

#include <algorithm>

#include "frozen/best_frozen.h"
#include "frozen/paper_frozen.h"

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
  if (model.config.mode == Mode::kBest) return std::make_unique<BestFrozen>(model, context);
  return std::make_unique<PaperFrozen>(model, context);
}

Features rows_of(const Features& features, int64_t begin, int64_t end) {
  Features out;
  out.is_sparse = features.is_sparse;
  if (!features.is_sparse) {
    out.dense = Matrix(end - begin, features.dense.cols());
    std::copy(features.dense[begin], features.dense[end], out.dense.data());
    return out;
  }
  const Pattern& from = *features.sparse.pattern;
  const int64_t first = from.row_ptr[begin], last = from.row_ptr[end];
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = end - begin;
  pattern->cols = from.cols;
  for (int64_t i = begin; i < end; ++i) pattern->row_ptr.push_back(from.row_ptr[i + 1] - first);
  pattern->col.assign(from.col.begin() + first, from.col.begin() + last);
  out.sparse.values.assign(features.sparse.values.begin() + first,
                           features.sparse.values.begin() + last);
  out.sparse.pattern = std::move(pattern);
  return out;
}

}  // namespace glgnn
