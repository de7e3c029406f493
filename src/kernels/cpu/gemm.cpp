#include "kernels/gemm.h"

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"
#include "kernels/cpu/blas.h"

namespace glgnn::cpu {
namespace {

// Rows of c that one call computes: enough for the speed of one call, few enough to give all
// threads work.
int64_t rows_of_a_block(int64_t rows) { return rows >= 2048 ? 256 : 64; }

}  // namespace

void gemm(MatView<float> c, MatView<const float> a, MatView<const float> b, GemmOptions options,
          int threads) {
  if (c.size() == 0) return;
  const int64_t inner = options.transpose_a ? a.rows : a.cols;
  if (inner == 0) {
    if (!options.accumulate) std::fill(c.data, c.data + c.size(), 0.0f);
    return;
  }
  const SingleThreadedBlas single(threads);
  const int64_t step = rows_of_a_block(c.rows);
  for_fixed_pieces(c.rows, step, threads, [&](int64_t, int64_t first, int64_t end) {
    const float* rows = options.transpose_a ? a.data + first : a[first];
    sgemm(CblasRowMajor, options.transpose_a ? CblasTrans : CblasNoTrans,
          options.transpose_b ? CblasTrans : CblasNoTrans, static_cast<int>(end - first),
          static_cast<int>(c.cols), static_cast<int>(inner), 1.0f, rows, static_cast<int>(a.cols),
          b.data, static_cast<int>(b.cols), options.accumulate ? 1.0f : 0.0f, c[first],
          static_cast<int>(c.cols));
  });
}

}  // namespace glgnn::cpu
