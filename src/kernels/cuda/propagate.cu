// Propagation over a graph that stays on the device: half a warp for each row, whose lanes share
// the classes; lanes that are left take every second, fourth, ... neighbour, and their sums are
// added in a fixed order.
#include <string>
#include <utility>

#include "core/cuda/device.h"
#include "kernels/cuda/products.cuh"

namespace glgnn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = 16;  // of a row: a whole warp would wait more often than it reads
constexpr int kRows = kThreads / kLanes;  // of a block

struct Step {
  const int64_t* row_ptr;
  const int32_t* col;
  const float *values, *last, *h;
  float* next;
  int64_t rows;
  int cols;
  float alpha;
};

// The lanes of this thread's row.
__device__ unsigned own_lanes() { return 0xffffu << (threadIdx.x % 32 / kLanes * kLanes); }

template <int width>  // lanes for the classes
__global__ void propagate_step(const __grid_constant__ Step step) {
  const int64_t row = int64_t{blockIdx.x} * kRows + threadIdx.x / kLanes;
  if (row >= step.rows) return;
  const int lane = threadIdx.x % kLanes, part = lane / width;
  const int64_t begin = step.row_ptr[row], end = step.row_ptr[row + 1];
  for (int first = 0; first < step.cols; first += width) {
    const int c = first + lane % width;
    float sum = 0;
    if (c < step.cols) {
#pragma unroll 4
      for (int64_t e = begin + part; e < end; e += kLanes / width) {
        sum = fmaf(step.values[e], step.last[int64_t{step.col[e]} * step.cols + c], sum);
      }
    }
    for (int distance = width; distance < kLanes; distance *= 2) {
      sum += __shfl_xor_sync(own_lanes(), sum, distance);
    }
    const int64_t at = row * step.cols + c;
    if (part == 0 && c < step.cols) {
      step.next[at] = fmaf(1.0f - step.alpha, sum, step.alpha * step.h[at]);
    }
  }
}

// The same where the classes are a multiple of four: a lane has four of them, so that more
// neighbours are read at once.
template <int width>  // lanes for the classes
__global__ void propagate_quads(const __grid_constant__ Step step) {
  const int64_t row = int64_t{blockIdx.x} * kRows + threadIdx.x / kLanes;
  if (row >= step.rows) return;
  const int lane = threadIdx.x % kLanes, part = lane / width, quads = step.cols / 4;
  const int64_t begin = step.row_ptr[row], end = step.row_ptr[row + 1];
  const auto* const last = reinterpret_cast<const float4*>(step.last);
  const auto* const own = reinterpret_cast<const float4*>(step.h);
  for (int first = 0; first < quads; first += width) {
    const int q = first + lane % width;
    float4 sum{0, 0, 0, 0};
    if (q < quads) {
#pragma unroll 2
      for (int64_t e = begin + part; e < end; e += kLanes / width) {
        const float value = step.values[e];
        const float4 x = last[int64_t{step.col[e]} * quads + q];
        sum.x = fmaf(value, x.x, sum.x);
        sum.y = fmaf(value, x.y, sum.y);
        sum.z = fmaf(value, x.z, sum.z);
        sum.w = fmaf(value, x.w, sum.w);
      }
    }
    for (int distance = width; distance < kLanes; distance *= 2) {
      sum.x += __shfl_xor_sync(own_lanes(), sum.x, distance);
      sum.y += __shfl_xor_sync(own_lanes(), sum.y, distance);
      sum.z += __shfl_xor_sync(own_lanes(), sum.z, distance);
      sum.w += __shfl_xor_sync(own_lanes(), sum.w, distance);
    }
    if (part != 0 || q >= quads) continue;
    const float rest = 1.0f - step.alpha;
    const float4 h = own[row * quads + q];
    reinterpret_cast<float4*>(step.next)[row * quads + q] =
        make_float4(fmaf(rest, sum.x, step.alpha * h.x), fmaf(rest, sum.y, step.alpha * h.y),
                    fmaf(rest, sum.z, step.alpha * h.z), fmaf(rest, sum.w, step.alpha * h.w));
  }
}

void launch(const Step& step) {
  const auto in_quads = step.cols <= 4    ? propagate_quads<1>
                        : step.cols <= 8  ? propagate_quads<2>
                        : step.cols <= 16 ? propagate_quads<4>
                                          : propagate_quads<8>;
  const auto one_by_one = step.cols <= 4   ? propagate_step<4>
                          : step.cols <= 8 ? propagate_step<8>
                                           : propagate_step<16>;
  const auto kernel = step.cols % 4 == 0 ? in_quads : one_by_one;
  kernel<<<static_cast<int>((step.rows + kRows - 1) / kRows), kThreads, 0, stream()>>>(step);
  check(cudaGetLastError(), "starting to propagate");
}

}  // namespace

HeldGraph::HeldGraph(PatternView pattern, const float* values) {
  require_device();
  const int64_t entries = pattern.nnz();
  require_memory(entries * 8 + pattern.rows * 8, "a graph of " + std::to_string(entries) + " edges",
                 "take fewer rows");
  arrays_.reset(new Arrays{pattern.rows, DeviceArray<int64_t>(pattern.row_ptr, pattern.rows + 1),
                           DeviceArray<int32_t>(pattern.col, entries),
                           DeviceArray<float>(values, entries)});
  wait_for_device();
}

HeldGraph::~HeldGraph() = default;

float* HeldGraph::Arrays::propagate(float* z, float* spare, const float* h, int64_t cols,
                                    int64_t steps, float alpha) const {
  if (steps == 0) {
    check(cudaMemcpyAsync(z, h, rows * cols * sizeof(float), cudaMemcpyDeviceToDevice, stream()),
          "copying on the device");
  }
  const float* last = h;
  for (int64_t t = 0; t < steps; ++t) {
    if (t > 0) std::swap(z, spare);
    launch({.row_ptr = row_ptr.data(),
            .col = col.data(),
            .values = values.data(),
            .last = last,
            .h = h,
            .next = z,
            .rows = rows,
            .cols = static_cast<int>(cols),
            .alpha = alpha});
    last = z;
  }
  return z;
}

void HeldGraph::propagate(MatView<float> z, MatView<const float> h, int64_t steps,
                          float alpha) const {
  require_device();
  if (h.size() == 0) return;
  require_memory(3 * h.size() * 4, "propagation over " + std::to_string(h.rows) + " rows",
                 "take fewer rows");
  const DeviceArray<float> own(h.data, h.size()), first(h.size()), second(h.size());
  const float* const found =
      arrays_->propagate(first.data(), second.data(), own.data(), h.cols, steps, alpha);
  (found == first.data() ? first : second).copy_to(z.data);
}

}  // namespace glgnn::cuda
