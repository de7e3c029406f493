// Dense products: c = op(a) op(b), or c += op(a) op(b); op transposes where asked.
//
// The backward of y = x w is two more of them: d_x += d_y w^T and d_w += x^T d_y. Cost O(m n k).
#pragma once

#include <glgnn/matrix.h>

namespace glgnn {

struct GemmOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;  // c += instead of c =
};

namespace ref {
template <class T>
void gemm(MatView<T> c, MatView<const T> a, MatView<const T> b, GemmOptions options);
}

namespace cpu {
// BLAS on fixed blocks of c, so that the bits do not depend on the threads.
void gemm(MatView<float> c, MatView<const float> a, MatView<const float> b, GemmOptions options,
          int threads);
}  // namespace cpu

}  // namespace glgnn
