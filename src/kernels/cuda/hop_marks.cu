// A block of threads marks one row in shared memory, level by level: each is the one before, and
// the neighbours of what that found first.
#include <glgnn/error.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/cuda/choose.cuh"

namespace glgnn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int64_t kWholeBlocks = 12 * kBlockRows;  // of kernels with three and with four groups

struct Marking {
  uint32_t* marks;
  HopGraph graph;
  const int32_t* list;
  int64_t first;
  int levels, words;
};

__device__ void set_bit(uint32_t* words, int column) {
  atomicOr(&words[column / 32], 1u << column % 32);
}

// visit(column) for each neighbour of `row`, by `workers` threads of which this is number `worker`.
template <class Visit>
__device__ void for_neighbours(const HopGraph& graph, int64_t row, int worker, int workers,
                               Visit&& visit) {
  const int64_t begin = graph.row_ptr ? graph.row_ptr[row] : row * graph.k;
  const int64_t end = graph.row_ptr ? graph.row_ptr[row + 1] : begin + graph.count[row];
  for (int64_t e = begin + worker; e < end; e += workers) visit(graph.col[e]);
  if (!graph.by_column_ptr) return;
  for (int e = graph.by_column_ptr[row] + worker; e < graph.by_column_ptr[row + 1]; e += workers) {
    visit(graph.by_column[e]);
  }
}

__device__ void add_row(uint32_t* words, const HopGraph& graph, int64_t row, int worker,
                        int workers) {
  for_neighbours(graph, row, worker, workers, [&](int column) { set_bit(words, column); });
}

__global__ void mark_rows(const __grid_constant__ Marking job) {
  extern __shared__ uint32_t within[];
  const int64_t at = job.first + blockIdx.x, row = job.list ? job.list[at] : at;
  uint32_t* levels = job.marks + int64_t{blockIdx.x} * job.levels * job.words;
  for (int w = threadIdx.x; w < job.words; w += kThreads) within[w] = 0;
  __syncthreads();
  for (int d = 0; d < job.levels; ++d) {
    const uint32_t* last = levels + (d - 1) * job.words;
    if (d == 0) {
      add_row(within, job.graph, row, threadIdx.x, kThreads);
    } else if (d == 1) {
      for_neighbours(job.graph, row, threadIdx.x / 32, kWarps,
                     [&](int column) { add_row(within, job.graph, column, threadIdx.x % 32, 32); });
    } else {
      for (int w = threadIdx.x; w < job.words; w += kThreads) {
        for (uint32_t found = last[w] & ~last[w - job.words]; found; found &= found - 1) {
          add_row(within, job.graph, 32 * w + __ffs(found) - 1, 0, 1);
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

int words_of(int64_t rows) { return static_cast<int>((rows + 31) / 32); }

int64_t rows_marked_at_once(int64_t rows, int64_t levels) {
  constexpr int64_t kMost = int64_t{256} << 20;  // bytes
  const int64_t fitting = kMost / (4 * levels * words_of(rows)) / kWholeBlocks;
  const int64_t all = (rows + kWholeBlocks - 1) / kWholeBlocks;
  return kWholeBlocks * std::clamp<int64_t>(fitting, 1, all);
}

DeviceArray<float> gains_of(const float* h_of_shell, int64_t levels) {
  std::vector<float> gain(levels + 1);
  const float log_other = std::log(h_of_shell[levels]);
  for (int64_t d = 0; d < levels; ++d) {
    gain[d] = std::log(h_of_shell[d]) - log_other;
    gain[levels] = std::max(gain[levels], gain[d]);
  }
  return {gain.data(), levels + 1};
}

}  // namespace

HopRoom::HopRoom(int64_t rows, int64_t levels)
    : rows_at_once_(rows_marked_at_once(rows, levels)),
      levels_(static_cast<int>(levels)),
      words_(words_of(rows)),
      marks_(rows_at_once_ * levels * words_) {
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
        "asking the device");
  if (4 * words_ > most) {
    throw Error(ErrorKind::kUnsupported,
                "found " + std::to_string(rows) + " rows, expected at most " +
                    std::to_string(8 * most) +
                    " for hops on this device; take fewer, or use the processor");
  }
  check(cudaFuncSetAttribute(mark_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
        "asking for shared memory");
}

int64_t HopRoom::bytes(int64_t rows, int64_t levels) {
  return rows_marked_at_once(rows, levels) * levels * words_of(rows) * 4;
}

HopMarks HopRoom::mark(const HopGraph& graph, const float* gain, int64_t first, int64_t count,
                       const int32_t* list) const {
  const Marking job{.marks = marks_.data(),
                    .graph = graph,
                    .list = list,
                    .first = first,
                    .levels = levels_,
                    .words = words_};
  mark_rows<<<static_cast<int>(count), kThreads, 4 * words_, stream()>>>(job);
  check(cudaGetLastError(), "starting to mark hops");
  return {.marks = marks_.data(), .levels = levels_, .words = words_, .gain = gain};
}

int64_t DeviceHops::bytes(const HopShells& shells) {
  return shells.graph().nnz() * 4 + shells.rows() * 8 +
         HopRoom::bytes(shells.rows(), shells.hops());
}

DeviceHops::DeviceHops(const HopShells& shells, const float* h_of_shell)
    : room_(shells.rows(), shells.hops()),
      row_ptr_(shells.graph().row_ptr.data(), shells.rows() + 1),
      col_(shells.graph().col.data(), shells.graph().nnz()),
      gain_(gains_of(h_of_shell, shells.hops())) {}

HopMarks DeviceHops::mark(int64_t first, int64_t count) const {
  return room_.mark({.row_ptr = row_ptr_.data(), .col = col_.data()}, gain_.data(), first, count);
}

}  // namespace glgnn::cuda
