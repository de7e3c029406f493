#include "modules/feature_products.h"

#include "kernels/gemm.h"
#include "kernels/spmm.h"

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

}  // namespace glgnn
