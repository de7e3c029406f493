#include "kernels/dropout.h"

#include <algorithm>

namespace glgnn::cpu {
namespace {

// Calls use(index, keep) for every element, four random numbers at a time.
template <class Use>
void for_each_kept(int64_t n, float rate, const Rng& rng, int threads, Use&& use) {
  const int64_t blocks = (n + 3) / 4;
#pragma omp parallel for schedule(static) num_threads(threads) if (n > 16384)
  for (int64_t b = 0; b < blocks; ++b) {
    const auto bits = rng.block(b);
    const int64_t end = std::min<int64_t>(4, n - 4 * b);
    for (int64_t lane = 0; lane < end; ++lane) {
      use(4 * b + lane, Rng::to_uniform(bits[lane]) >= rate);
    }
  }
}

}  // namespace

void dropout_forward(float* y, const float* x, int64_t n, float rate, const Rng& rng, int threads) {
  const float scale = 1.0f / (1.0f - rate);
  for_each_kept(n, rate, rng, threads,
                [&](int64_t i, bool keep) { y[i] = keep ? x[i] * scale : 0.0f; });
}

void dropout_backward(float* d_x, const float* d_y, int64_t n, float rate, const Rng& rng,
                      int threads) {
  const float scale = 1.0f / (1.0f - rate);
  for_each_kept(n, rate, rng, threads,
                [&](int64_t i, bool keep) { d_x[i] += keep ? d_y[i] * scale : 0.0f; });
}

}  // namespace glgnn::cpu
