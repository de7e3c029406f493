// One step of Adam (Kingma and Ba 2015): m and v are running means of the gradient and its square.
//
//   m = 0.9 m + 0.1 g,  v = 0.999 v + 0.001 g^2
//   x -= rate (m / (1 - 0.9^t)) / (sqrt(v / (1 - 0.999^t)) + 1e-8),   t = 1, 2, ...
#pragma once

#include <cstdint>

namespace glgnn::ref {

template <class T>
void adam_step(T* x, T* m, T* v, const T* g, int64_t n, double rate, int64_t t);

}  // namespace glgnn::ref
