// log sum exp of a row, from its largest number so that nothing overflows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace glgnn::ref {

template <class T>
T log_sum_exp(const T* x, int64_t n) {
  const T top = *std::max_element(x, x + n);
  T sum = 0;
  for (int64_t c = 0; c < n; ++c) sum += std::exp(x[c] - top);
  return top + std::log(sum);
}

}  // namespace glgnn::ref
