#include "kernels/gemm.h"

#include <cblas.h>

#include <algorithm>

#include "kernels/cpu/blas.h"

namespace glgnn::cpu {

void gemm(MatView<float> c, MatView<const float> a, MatView<const float> b, GemmOptions options,
          int threads) {
  // Fixed blocks of rows of c, each one call of a single-threaded BLAS: the bits of a block do not
  // depend on who computes it.
  constexpr int64_t kBlock = 128;
  const int64_t inner = options.transpose_a ? a.rows : a.cols;
  const int64_t blocks = (c.rows + kBlock - 1) / kBlock;
  use_single_threaded_blas();
#pragma omp parallel for schedule(static) num_threads(threads) if (blocks > 1)
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t begin = block * kBlock, rows = std::min(kBlock, c.rows - begin);
    const float* a_block = options.transpose_a ? a.data + begin : a[begin];
    cblas_sgemm(CblasRowMajor, options.transpose_a ? CblasTrans : CblasNoTrans,
                options.transpose_b ? CblasTrans : CblasNoTrans, static_cast<blasint>(rows),
                static_cast<blasint>(c.cols), static_cast<blasint>(inner), 1.0f, a_block,
                static_cast<blasint>(a.cols), b.data, static_cast<blasint>(b.cols),
                options.accumulate ? 1.0f : 0.0f, c[begin], static_cast<blasint>(c.cols));
  }
}

}  // namespace glgnn::cpu
