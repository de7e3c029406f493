#include "kernels/dropout_linear.h"

#include <algorithm>

#include "kernels/cpu/scratch.h"
#include "kernels/dropout.h"
#include "kernels/gemm.h"

namespace glgnn::cpu {
namespace {

// Kept between calls, by each thread that calls.
thread_local Scratch<float> scratch;

// work(dropped, first) for each block of rows, the first of which is row `first` of x.
template <class Work>
void for_dropped_blocks(MatView<const float> x, float rate, const Rng& rng, int threads,
                        Work&& work) {
  const int64_t step = std::min(dropout_block_rows(x.cols), x.rows);
  float* dropped = scratch.grow(step * x.cols);
  for (int64_t first = 0; first < x.rows; first += step) {
    const int64_t rows = std::min(step, x.rows - first);
    dropout_part(dropped, x[first], first * x.cols, rows * x.cols, rate, rng, threads);
    work(MatView<const float>{dropped, rows, x.cols}, first);
  }
}

}  // namespace

// 16 MB, so that the products are as fast as of the whole; a multiple of 4 rows, because random
// numbers come by four.
int64_t dropout_block_rows(int64_t cols) {
  constexpr int64_t kNumbers = int64_t{1} << 22;
  return std::max<int64_t>(kNumbers / std::max<int64_t>(cols, 1) / 256, 1) * 256;
}

void dropout_linear_forward(MatView<float> y, MatView<const float> x, MatView<const float> w,
                            float rate, const Rng& rng, int threads) {
  for_dropped_blocks(x, rate, rng, threads, [&](MatView<const float> dropped, int64_t first) {
    gemm({y[first], dropped.rows, y.cols}, dropped, w, {}, threads);
  });
}

void dropout_linear_backward(MatView<float> d_w, MatView<const float> d_y, MatView<const float> x,
                             float rate, const Rng& rng, int threads) {
  for_dropped_blocks(x, rate, rng, threads, [&](MatView<const float> dropped, int64_t first) {
    gemm(d_w, dropped, {d_y[first], dropped.rows, d_y.cols},
         {.transpose_a = true, .accumulate = true}, threads);
  });
}

}  // namespace glgnn::cpu
