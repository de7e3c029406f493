// BLAS is called inside our own parallel loops, so it must not start threads of its own. It is
// loaded at its first use (core/blas_library.h).
#pragma once

#include <cblas.h>

namespace glgnn::cpu {

// While it lives, BLAS may be called by `threads` threads, and is single-threaded in the calling
// task and in the loops that it starts: more threads would cut the sums differently. Throws as
// blas_function() does.
class SingleThreadedBlas {
 public:
  explicit SingleThreadedBlas(int threads);
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  int threads_, threads_before_;
};

// Of OpenBLAS, once a SingleThreadedBlas lives.
extern decltype(&cblas_sgemm) sgemm;
extern decltype(&cblas_dgemm) dgemm;

}  // namespace glgnn::cpu
