#include "kernels/propagate.h"

#include <algorithm>
#include <vector>

#include "core/parallel.h"
#include "kernels/spmm.h"

namespace glgnn::cpu {

void propagate(MatView<float> z, PatternView pattern, const float* values, MatView<const float> h,
               int64_t steps, float alpha, int threads) {
  std::vector<float> last(h.data, h.data + h.size());
  for (int64_t step = 0; step < steps; ++step) {
    spmm_forward(z, pattern, values, {last.data(), h.rows, h.cols}, threads);
    for_row_ranges(h.size(), h.size(), threads, [&](int64_t begin, int64_t end) {
      for (int64_t e = begin; e < end; ++e) {
        last[e] = (1.0f - alpha) * z.data[e] + alpha * h.data[e];
      }
    });
  }
  std::copy(last.begin(), last.end(), z.data);
}

}  // namespace glgnn::cpu
