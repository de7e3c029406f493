#include "kernels/soft_losses.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"

namespace glgnn::cpu {
namespace {

// Softmax of x and its sharpened form, both of n numbers.
void softmax_and_sharpened(float* p, float* sharp, const float* x, int64_t n) {
  const float top = *std::max_element(x, x + n);
  float sum = 0, squares = 0;
  for (int64_t c = 0; c < n; ++c) sum += p[c] = std::exp(x[c] - top);
  for (int64_t c = 0; c < n; ++c) {
    p[c] /= sum;
    squares += sharp[c] = p[c] * p[c];
  }
  for (int64_t c = 0; c < n; ++c) sharp[c] /= squares;
}

}  // namespace

void soft_pull(MatView<float> d_x, MatView<const float> x, MatView<const float> targets,
               const float* weights, float consistency, int threads) {
  const int64_t classes = x.cols;
  const float factor = 2 * consistency / static_cast<float>(std::max<int64_t>(1, x.rows));
  for_row_ranges(x.rows, 8 * x.size(), threads, [&](int64_t begin, int64_t end) {
    std::vector<float> both(2 * classes);
    float *p = both.data(), *sharp = p + classes;
    for (int64_t i = begin; i < end; ++i) {
      if (weights[i] == 0 && consistency == 0) continue;
      softmax_and_sharpened(p, sharp, x[i], classes);
      float mass = 0, dot = 0;
      for (int64_t c = 0; c < classes; ++c) {
        mass += targets[i][c];
        dot += factor * (p[c] - sharp[c]) * p[c];
      }
      for (int64_t c = 0; c < classes; ++c) {
        d_x[i][c] +=
            weights[i] * (p[c] * mass - targets[i][c]) + p[c] * (factor * (p[c] - sharp[c]) - dot);
      }
    }
  });
}

}  // namespace glgnn::cpu
