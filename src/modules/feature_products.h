// Products with the features, dense or sparse, and the directions that they find.
#pragma once

#include <glgnn/context.h>
#include <glgnn/csr.h>
#include <glgnn/dataset.h>
#include <glgnn/matrix.h>

#include <optional>

#include "kernels/dense.h"
#include "kernels/edges.h"

namespace glgnn {

// Products with the features, dense or sparse.

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

// Truncated singular value decomposition by subspace iteration.

struct Directions {
  Matrix scores;      // X V = U_r S_r, N x min(r, F): the rows in these directions
  Matrix directions;  // V, F x min(r, F)
  std::optional<cuda::HeldMatrix> held;  // the scores on the device, where that computed them
};

// The r directions in which the rows differ most from zero. Deterministic: the start is drawn from
// a fixed seed.
Directions leading_directions(const Features& x, int64_t r, int threads);
Directions leading_directions(const cuda::HeldMatrix& x, int64_t r, int threads);

// A graph of the columns.

// Whether columns of a large negative cosine are alike, too.
enum class Opposite { kUnlike, kAlike };

// The (at most) five columns most like each column with their cosines, F x F; never all pairs in
// memory.
Csr alike_columns(const Features& x, Opposite opposite, const Context& context);

// Each column with those that it hears: (x_f + sum_g heard_fg x_g) / (1 + sum_g |heard_fg|).
// Sparse rows stay sparse.
Features with_heard(const Features& x, const Csr& heard, int threads);

}  // namespace glgnn
