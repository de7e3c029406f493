#include "kernels/gemm.h"

namespace glgnn::ref {

template <class T>
void gemm(MatView<T> c, MatView<const T> a, MatView<const T> b, GemmOptions options) {
  const int64_t inner = options.transpose_a ? a.rows : a.cols;
  for (int64_t i = 0; i < c.rows; ++i) {
    for (int64_t j = 0; j < c.cols; ++j) {
      T sum = 0;
      for (int64_t l = 0; l < inner; ++l) {
        sum +=
            (options.transpose_a ? a[l][i] : a[i][l]) * (options.transpose_b ? b[j][l] : b[l][j]);
      }
      c[i][j] = options.accumulate ? c[i][j] + sum : sum;
    }
  }
}

template void gemm(MatView<float>, MatView<const float>, MatView<const float>, GemmOptions);
template void gemm(MatView<double>, MatView<const double>, MatView<const double>, GemmOptions);

}  // namespace glgnn::ref
