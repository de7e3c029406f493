#include "kernels/cpu/blas.h"

#include <cblas.h>

namespace glgnn::cpu {

void use_single_threaded_blas() {
  static const bool done = (openblas_set_num_threads(1), true);
  static_cast<void>(done);
}

}  // namespace glgnn::cpu
