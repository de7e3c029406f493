// Eigen without threads of its own: its sums depend on how many it takes, and heads run several at
// once.
#pragma once

#define EIGEN_DONT_PARALLELIZE
#include <glgnn/matrix.h>

#include <Eigen/Dense>

#include "kernels/dense.h"

namespace glgnn {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// a b by BLAS: the products of Eigen know only the oldest instructions of a processor.
inline Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  // Eigen's numbers lie column by column: as rows they are the transposed matrix.
  const auto turned = [](const Eigen::MatrixXd& m) {
    return MatView<const double>{m.data(), m.cols(), m.rows()};
  };
  Eigen::MatrixXd c(a.rows(), b.cols());
  cpu::gemm(MatView<double>{c.data(), c.cols(), c.rows()}, turned(b), turned(a), {}, 1);
  return c;
}

// Of a symmetric, positive matrix; the logarithm of the root of its determinant.
inline double invert(Eigen::MatrixXd& a) { return cpu::invert({a.data(), a.rows(), a.cols()}); }

inline Matrix to_matrix(const Eigen::MatrixXd& from) {
  Matrix out(from.rows(), from.cols());
  Eigen::Map<RowMajor<float>>(out.data(), out.rows(), out.cols()) = from.cast<float>();
  return out;
}

}  // namespace glgnn
