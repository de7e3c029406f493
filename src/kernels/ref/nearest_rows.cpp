#include "kernels/nearest_rows.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace glgnn::ref {

template <class T>
void nearest_rows(int32_t* col, MatView<const T> z, int64_t k) {
  const int64_t kept = std::min(k, z.rows - 1);
  std::vector<T> t(z.rows);
  std::vector<int32_t> order(z.rows);
  for (int64_t i = 0; i < z.rows; ++i) {
    for (int64_t j = 0; j < z.rows; ++j) {
      T dot = 0, square = 0;
      for (int64_t d = 0; d < z.cols; ++d) dot += z[i][d] * z[j][d], square += z[j][d] * z[j][d];
      t[j] = dot - square / 2;
    }
    std::iota(order.begin(), order.end(), 0);
    order.erase(order.begin() + i);
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return t[a] > t[b]; });
    std::sort(order.begin(), order.begin() + kept);
    std::copy(order.begin(), order.begin() + kept, col + i * kept);
    order.resize(z.rows);
  }
}

template void nearest_rows(int32_t*, MatView<const float>, int64_t);
template void nearest_rows(int32_t*, MatView<const double>, int64_t);

}  // namespace glgnn::ref
