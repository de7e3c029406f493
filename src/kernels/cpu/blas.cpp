#include "kernels/cpu/blas.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
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

// Of LAPACK, on one triangle of a symmetric matrix: "L" or "U", how many rows, the numbers, their
// step from row to row, and where to say whether it failed.
using OfTriangle = void(const char*, const int*, double*, const int*, int*);
OfTriangle *factor = nullptr, *invert_factored = nullptr;

bool load() {
  sgemm = function_of<decltype(cblas_sgemm)>("cblas_sgemm");
  dgemm = function_of<decltype(cblas_dgemm)>("cblas_dgemm");
  factor = function_of<OfTriangle>("dpotrf_");
  invert_factored = function_of<OfTriangle>("dpotri_");
  function_of<decltype(openblas_set_num_threads)>("openblas_set_num_threads")(1);
  return true;
}

}  // namespace

decltype(&cblas_sgemm) sgemm = nullptr;
decltype(&cblas_dgemm) dgemm = nullptr;

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

template <class T, class Multiply>
void gemm_by(const Multiply& multiply, MatView<T> c, MatView<const T> a, MatView<const T> b,
             GemmOptions options, int threads) {
  if (c.size() == 0) return;
  const int64_t inner = options.transpose_a ? a.rows : a.cols;
  if (inner == 0) {
    if (!options.accumulate) std::fill(c.data, c.data + c.size(), T{0});
    return;
  }
  const SingleThreadedBlas single(threads);
  const int64_t step = rows_of_a_block(c.rows);
  for_fixed_pieces(c.rows, step, threads, [&](int64_t, int64_t first, int64_t end) {
    const T* rows = options.transpose_a ? a.data + first : a[first];
    multiply(CblasRowMajor, options.transpose_a ? CblasTrans : CblasNoTrans,
             options.transpose_b ? CblasTrans : CblasNoTrans, static_cast<int>(end - first),
             static_cast<int>(c.cols), static_cast<int>(inner), T{1}, rows,
             static_cast<int>(a.cols), b.data, static_cast<int>(b.cols),
             options.accumulate ? T{1} : T{0}, c[first], static_cast<int>(c.cols));
  });
}

}  // namespace

void gemm(MatView<float> c, MatView<const float> a, MatView<const float> b, GemmOptions options,
          int threads) {
  gemm_by(sgemm, c, a, b, options, threads);
}

void gemm(MatView<double> c, MatView<const double> a, MatView<const double> b, GemmOptions options,
          int threads) {
  gemm_by(dgemm, c, a, b, options, threads);
}

double invert(MatView<double> a) {
  const SingleThreadedBlas single(1);
  const auto rows = static_cast<int>(a.rows);
  int failed = 0;
  double log_root = 0;
  factor("L", &rows, a.data, &rows, &failed);
  for (int64_t i = 0; i < a.rows; ++i) log_root += std::log(a[i][i]);
  if (!failed) invert_factored("L", &rows, a.data, &rows, &failed);
  if (failed) {
    std::fill(a.data, a.data + a.size(), std::numeric_limits<double>::quiet_NaN());
    return std::numeric_limits<double>::quiet_NaN();
  }
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < i; ++j) a[i][j] = a[j][i];
  }
  return log_root;
}

}  // namespace glgnn::cpu
