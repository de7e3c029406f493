#include "kernels/adam.h"

#include <cmath>

namespace glgnn::ref {

template <class T>
void adam_step(T* x, T* m, T* v, const T* g, int64_t n, double rate, int64_t t) {
  constexpr T kBeta1 = T(0.9), kBeta2 = T(0.999), kEpsilon = T(1e-8);
  // Taken before rounding: in float, 1 - 0.999f is wrong in the fifth digit.
  constexpr T kRest1 = T(1 - 0.9), kRest2 = T(1 - 0.999);
  const T step = static_cast<T>(rate / (1 - std::pow(0.9, t)));
  const T scale = static_cast<T>(1 / std::sqrt(1 - std::pow(0.999, t)));
  for (int64_t i = 0; i < n; ++i) {
    m[i] = kBeta1 * m[i] + kRest1 * g[i];
    v[i] = kBeta2 * v[i] + kRest2 * g[i] * g[i];
    x[i] -= step * m[i] / (std::sqrt(v[i]) * scale + kEpsilon);
  }
}

template void adam_step(float*, float*, float*, const float*, int64_t, double, int64_t);
template void adam_step(double*, double*, double*, const double*, int64_t, double, int64_t);

}  // namespace glgnn::ref
