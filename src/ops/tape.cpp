#include "ops/tape.h"

namespace glgnn {

Matrix Tape::take(int64_t rows, int64_t cols) {
  auto& spare = spare_[{rows, cols}];
  if (spare.empty()) return Matrix(rows, cols);
  Matrix matrix = std::move(spare.back());
  spare.pop_back();
  return matrix;
}

Tape::Fresh Tape::make(int64_t rows, int64_t cols, bool wants_grad) {
  Matrix* written = &matrices_.emplace_back(take(rows, cols));
  Matrix* grad = nullptr;
  if (wants_grad && recording_) {
    grad = &matrices_.emplace_back(take(rows, cols));
    grad->fill(0.0f);
  }
  return {written, {written, grad}};
}

void Tape::backward() {
  // What a step alone has kept is given back.
  for (; !steps_.empty(); steps_.pop_back()) steps_.back()();
}

void Tape::clear(bool keep_buffers) {
  steps_.clear();
  kept_.clear();
  // Sizes that this pass did not use are given back: kept pairs vary in number from pass to pass.
  spare_.clear();
  for (Matrix& matrix : matrices_) {
    if (!keep_buffers) break;
    const std::pair<int64_t, int64_t> shape{matrix.rows(), matrix.cols()};
    spare_[shape].push_back(std::move(matrix));
  }
  matrices_.clear();
}

}  // namespace glgnn
