// Products with the features, dense or sparse.
#pragma once

#include <glgnn/dataset.h>
#include <glgnn/matrix.h>

#include "kernels/transpose.h"

namespace glgnn {

// y = X v
void feature_times(Matrix& y, const Features& x, const Matrix& v, int threads);

// Products from both sides, repeated.
class FeatureProducts {
 public:
  // The features must outlive this.
  FeatureProducts(const Features& x, int threads);

  // y = X v
  void times(Matrix& y, const Matrix& v) const { feature_times(y, x_, v, threads_); }
  // v = X^T y
  void transposed_times(Matrix& v, const Matrix& y) const;

 private:
  const Features& x_;
  Transpose by_column_;  // of sparse features
  int threads_;
};

}  // namespace glgnn
