#include "kernels/cpu/blas.h"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "core/blas_library.h"
#include "core/parallel.h"
#include "kernels/dense.h"

namespace glgnn::cpu {
namespace {

template <class Function>
Function* function_of(const char* name) {
  return reinterpret_cast<Function*>(blas_function(name));
}

// Counts the threads that may multiply at once: each then holds a buffer, which another takes over
// when it is done. Only more at once than ever before need new ones.
class Buffers {
 public:
  void take(int threads) {
    const std::lock_guard lock(mutex_);
    if (in_use_ + threads > most_) {
      require_blas_buffers(in_use_ + threads - most_);
      most_ = in_use_ + threads;
    }
    in_use_ += threads;
  }
  void give_back(int threads) {
    const std::lock_guard lock(mutex_);
    in_use_ -= threads;
  }

 private:
  std::mutex mutex_;
  int64_t in_use_ = 0, most_ = 0;
};

Buffers& buffers() {
  static Buffers all;
  return all;
}

bool load() {
  sgemm = function_of<decltype(cblas_sgemm)>("cblas_sgemm");
  function_of<decltype(openblas_set_num_threads)>("openblas_set_num_threads")(1);
  return true;
}

}  // namespace

decltype(&cblas_sgemm) sgemm = nullptr;

// OpenBLAS on OpenMP asks the calling task how many threads it may use; a task inherits the answer
// from the one that started it, not from what another was told.
SingleThreadedBlas::SingleThreadedBlas(int threads)
    : threads_(threads), threads_before_(omp_get_max_threads()) {
  static const bool loaded = load();
  static_cast<void>(loaded);
  buffers().take(threads_);
  omp_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  omp_set_num_threads(threads_before_);
  buffers().give_back(threads_);
}

namespace {

// Rows of c that one call computes: enough for the speed of one call, few enough to give all
// threads work.
int64_t rows_of_a_block(int64_t rows) { return rows >= 2048 ? 256 : 64; }

}  // namespace

void gemm(MatView<float> c, MatView<const float> a, MatView<const float> b, GemmOptions options,
          int threads) {
  if (c.size() == 0) return;
  const int64_t inner = options.transpose_a ? a.rows : a.cols;
  if (inner == 0) {
    if (!options.accumulate) std::fill(c.data, c.data + c.size(), 0.0f);
    return;
  }
  const SingleThreadedBlas single(threads);
  const int64_t step = rows_of_a_block(c.rows);
  for_fixed_pieces(c.rows, step, threads, [&](int64_t, int64_t first, int64_t end) {
    const float* rows = options.transpose_a ? a.data + first : a[first];
    sgemm(CblasRowMajor, options.transpose_a ? CblasTrans : CblasNoTrans,
          options.transpose_b ? CblasTrans : CblasNoTrans, static_cast<int>(end - first),
          static_cast<int>(c.cols), static_cast<int>(inner), 1.0f, rows, static_cast<int>(a.cols),
          b.data, static_cast<int>(b.cols), options.accumulate ? 1.0f : 0.0f, c[first],
          static_cast<int>(c.cols));
  });
}

}  // namespace glgnn::cpu
