#include "kernels/cpu/blas.h"

#include <cblas.h>
#include <omp.h>

namespace glgnn::cpu {

// OpenBLAS on OpenMP asks the calling task how many threads it may use; a task inherits the answer
// from the one that started it, not from what another was told.
SingleThreadedBlas::SingleThreadedBlas() : threads_before_(omp_get_max_threads()) {
  static const bool done = (openblas_set_num_threads(1), true);
  static_cast<void>(done);
  omp_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() { omp_set_num_threads(threads_before_); }

}  // namespace glgnn::cpu
