#include "kernels/propagate.h"

#include <algorithm>
#include <vector>

#include "kernels/edges.h"

namespace glgnn::ref {

template <class T>
void propagate(MatView<T> z, PatternView pattern, const T* values, MatView<const T> h,
               int64_t steps, T alpha) {
  std::vector<T> last(h.data, h.data + h.size());
  for (int64_t step = 0; step < steps; ++step) {
    const MatView<const T> before{last.data(), h.rows, h.cols};
    spmm_forward<T>(z, pattern, values, before);
    for (int64_t e = 0; e < h.size(); ++e) last[e] = (1 - alpha) * z.data[e] + alpha * h.data[e];
  }
  std::copy(last.begin(), last.end(), z.data);
}

template void propagate(MatView<float>, PatternView, const float*, MatView<const float>, int64_t,
                        float);
template void propagate(MatView<double>, PatternView, const double*, MatView<const double>, int64_t,
                        double);

}  // namespace glgnn::ref
