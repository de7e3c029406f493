// BLAS is called inside our own parallel loops, so it must not start threads of its own.
#pragma once

namespace glgnn::cpu {

// While it lives, BLAS is single-threaded in the calling task and in the loops that it starts: more
// threads would cut the sums differently.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  int threads_before_;
};

}  // namespace glgnn::cpu
