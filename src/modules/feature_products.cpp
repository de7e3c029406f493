#include "modules/feature_products.h"

#include <algorithm>
#include <utility>

#include "core/rng.h"
#include "kernels/dense.h"
#include "kernels/edges.h"
#include "modules/eigen.h"

namespace glgnn {

void feature_times(Matrix& y, const Features& x, const Matrix& v, int threads) {
  if (x.is_sparse) {
    cpu::spmm_forward(y.view(), x.sparse.pattern->view(), x.sparse.values.data(), v.view(),
                      threads);
  } else {
    cpu::gemm(y.view(), x.dense.view(), v.view(), {}, threads);
  }
}

FeatureProducts::FeatureProducts(const Features& x, int threads) : x_(x), threads_(threads) {
  if (x.is_sparse) by_column_ = transpose(x.sparse.pattern->view());
}

void FeatureProducts::transposed_times(Matrix& v, const Matrix& y) const {
  if (x_.is_sparse) {
    v.fill(0.0f);
    cpu::spmm_backward_x(v.view(), by_column_.view(), x_.sparse.values.data(), y.view(), threads_);
  } else {
    cpu::gemm(v.view(), x_.dense.view(), y.view(), {.transpose_a = true}, threads_);
  }
}

namespace {

using Dense = RowMajor<double>;

Eigen::Map<RowMajor<float>> map(Matrix& m) { return {m.data(), m.rows(), m.cols()}; }

// Columns made orthonormal.
void orthonormalise(Matrix& m) {
  const Dense q = map(m).cast<double>();
  const Dense thin = q.householderQr().householderQ() * Dense::Identity(q.rows(), q.cols());
  map(m) = thin.cast<float>();
}

constexpr int kSteps = 8;

// y^T y = W D W^T: the columns of y W are U S, largest last.
Dense turn_of(const Eigen::MatrixXd& squares, int64_t kept) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(squares);
  return eigen.eigenvectors().rightCols(kept).rowwise().reverse();
}

Matrix turned(Matrix& v, const Dense& turn) {
  Matrix out(v.rows(), turn.cols());
  map(out) = (map(v).cast<double>() * turn).cast<float>();
  return out;
}

Directions directions_on_device(const cuda::HeldMatrix& x, Matrix v, int64_t kept) {
  for (int step = 0; step < kSteps; ++step) {
    orthonormalise(v);
    v = x.transposed_times(x.times(std::as_const(v).view()));
  }
  orthonormalise(v);
  const cuda::HeldMatrix y = x.times(std::as_const(v).view());
  Matrix squares = y.transposed_times(y);
  const Dense turn = turn_of(map(squares).cast<double>(), kept);
  const Matrix factor = to_matrix(turn);
  return {y.times(factor.view()).to_host(), turned(v, turn)};
}

}  // namespace

Directions leading_directions(const Features& x, int64_t r, int threads,
                              const cuda::HeldMatrix* held) {
  const int64_t kept = std::min({r, x.cols(), x.rows()});
  const int64_t width =
      std::min({kept + 10, x.cols(), x.rows()});  // more, for speed of convergence
  Matrix v(x.cols(), width), y(x.rows(), width);
  const Rng rng{.seed = 1, .stream = Stream::kDirections};
  for (int64_t e = 0; e < v.size(); ++e) v.data()[e] = rng.normal(static_cast<uint64_t>(e));
  if (held) return directions_on_device(*held, std::move(v), kept);
  const FeatureProducts products(x, threads);
  for (int step = 0; step < kSteps; ++step) {
    orthonormalise(v);
    products.times(y, v);
    products.transposed_times(v, y);
  }
  orthonormalise(v);
  products.times(y, v);
  const Dense all = map(y).cast<double>();
  const Dense turn = turn_of(all.transpose() * all, kept);
  Directions out{Matrix(x.rows(), kept), turned(v, turn)};
  map(out.scores) = (all * turn).cast<float>();
  return out;
}

}  // namespace glgnn
