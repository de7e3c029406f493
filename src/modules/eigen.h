// Eigen without threads of its own: its sums depend on how many it takes, and heads run several at
// once.
#pragma once

#define EIGEN_DONT_PARALLELIZE
#include <glgnn/matrix.h>

#include <Eigen/Dense>

namespace glgnn {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Matrix to_matrix(const Eigen::MatrixXd& from) {
  Matrix out(from.rows(), from.cols());
  Eigen::Map<RowMajor<float>>(out.data(), out.rows(), out.cols()) = from.cast<float>();
  return out;
}

}  // namespace glgnn
