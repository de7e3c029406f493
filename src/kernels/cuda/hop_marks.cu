// A block of threads marks one row in shared memory, level by level: each is the one before, and
// the neighbours of what that found first.
#include <glgnn/error.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/cuda/hop_marks.cuh"

namespace glgnn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int64_t kWholeBlocks = 12 * kBlockRows;  // of kernels with three and with four groups

struct Marking {
  uint32_t* marks;
  const int64_t* row_ptr;
  const int32_t* col;
  int64_t first;
  int levels, words;
};

__device__ void set_bit(uint32_t* words, int column) {
  atomicOr(&words[column / 32], 1u << column % 32);
}

// The neighbours of `row`, by `workers` threads of which this is number `worker`.
__device__ void add_row(uint32_t* words, const Marking& job, int64_t row, int worker, int workers) {
  const int64_t end = job.row_ptr[row + 1];
  for (int64_t e = job.row_ptr[row] + worker; e < end; e += workers) set_bit(words, job.col[e]);
}

__global__ void mark_rows(const __grid_constant__ Marking job) {
  extern __shared__ uint32_t within[];
  const int64_t row = job.first + blockIdx.x;
  uint32_t* levels = job.marks + int64_t{blockIdx.x} * job.levels * job.words;
  for (int w = threadIdx.x; w < job.words; w += kThreads) within[w] = 0;
  __syncthreads();
  for (int d = 0; d < job.levels; ++d) {
    const uint32_t* last = levels + (d - 1) * job.words;
    if (d == 0) {
      add_row(within, job, row, threadIdx.x, kThreads);
    } else if (d == 1) {
      const int64_t end = job.row_ptr[row + 1];
      for (int64_t e = job.row_ptr[row] + threadIdx.x / 32; e < end; e += kWarps) {
        add_row(within, job, job.col[e], threadIdx.x % 32, 32);
      }
    } else {
      for (int w = threadIdx.x; w < job.words; w += kThreads) {
        for (uint32_t found = last[w] & ~last[w - job.words]; found; found &= found - 1) {
          add_row(within, job, 32 * w + __ffs(found) - 1, 0, 1);
        }
      }
    }
    __syncthreads();
    for (int w = threadIdx.x; w < job.words; w += kThreads) {
      const uint32_t itself = w == row / 32 ? 1u << row % 32 : 0;
      levels[d * job.words + w] = within[w] & ~itself;
    }
    __syncthreads();
  }
}

int words_of(const HopShells& shells) { return static_cast<int>((shells.rows() + 31) / 32); }

int64_t rows_marked_at_once(const HopShells& shells) {
  constexpr int64_t kMost = int64_t{256} << 20;  // bytes
  const int64_t fitting = kMost / (4 * shells.hops() * words_of(shells)) / kWholeBlocks;
  const int64_t all = (shells.rows() + kWholeBlocks - 1) / kWholeBlocks;
  return kWholeBlocks * std::clamp<int64_t>(fitting, 1, all);
}

}  // namespace

int64_t DeviceHops::bytes(const HopShells& shells) {
  return shells.graph().nnz() * 4 + shells.rows() * 8 +
         rows_marked_at_once(shells) * shells.hops() * words_of(shells) * 4;
}

DeviceHops::DeviceHops(const HopShells& shells, const float* h_of_shell)
    : rows_at_once_(rows_marked_at_once(shells)),
      row_ptr_(shells.graph().row_ptr.data(), shells.rows() + 1),
      col_(shells.graph().col.data(), shells.graph().nnz()) {
  hops_.levels = static_cast<int>(shells.hops());
  hops_.words = words_of(shells);
  marks_ = DeviceArray<uint32_t>(rows_at_once_ * hops_.levels * hops_.words);
  hops_.marks = marks_.data();
  const float log_other = std::log(h_of_shell[hops_.levels]);
  for (int d = 0; d < hops_.levels; ++d) hops_.gain[d] = std::log(h_of_shell[d]) - log_other;
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
        "asking the device");
  if (4 * hops_.words > most) {
    throw Error(ErrorKind::kUnsupported,
                "found " + std::to_string(shells.rows()) + " rows, expected at most " +
                    std::to_string(8 * most) +
                    " for hops on this device; take fewer, or use the processor");
  }
  check(cudaFuncSetAttribute(mark_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
        "asking for shared memory");
}

HopMarks DeviceHops::mark(int64_t first, int64_t count) {
  const Marking job{.marks = marks_.data(),
                    .row_ptr = row_ptr_.data(),
                    .col = col_.data(),
                    .first = first,
                    .levels = hops_.levels,
                    .words = hops_.words};
  mark_rows<<<static_cast<int>(count), kThreads, 4 * hops_.words, stream()>>>(job);
  check(cudaGetLastError(), "starting to mark hops");
  return hops_;
}

}  // namespace glgnn::cuda
