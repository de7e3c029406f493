#include <cuda_fp16.h>

#include "kernels/cuda/packed_rows.cuh"

namespace glgnn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

int blocks_for(int64_t items, int per_block) {
  return static_cast<int>((items + per_block - 1) / per_block);
}

// The power of two that brings the largest number of a row into [2^14, 2^15), and its inverse.
struct RowScale {
  float scale, unscale;
};
__device__ RowScale scale_for(float largest) {
  if (!(largest > 0)) return {1.0f, 1.0f};
  int exponent;
  frexpf(largest, &exponent);
  const int shift = min(max(15 - exponent, -126), 126);
  return {ldexpf(1.0f, shift), ldexpf(1.0f, -shift)};
}

__global__ void find_unscale(float* unscale, DeviceRows z, int64_t padded_rows) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= padded_rows) return;
  float largest = 0;
  if (row < z.rows) {
    const float* numbers = z.row_ptr ? z.values + z.row_ptr[row] : z.dense + row * z.cols;
    const int64_t count = z.row_ptr ? z.row_ptr[row + 1] - z.row_ptr[row] : z.cols;
    for (int64_t f = threadIdx.x % 32; f < count; f += 32) {
      largest = fmaxf(largest, fabsf(numbers[f]));
    }
  }
  for (int step = 16; step > 0; step /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, step));
  }
  if (threadIdx.x % 32 == 0) unscale[row] = scale_for(largest).unscale;
}

__global__ void copy_dense_slab(float* slab, DeviceRows z, int64_t first, int64_t numbers) {
  const int64_t at = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (at >= numbers) return;
  const int64_t row = at / kSlab, f = first + at % kSlab;
  slab[at] = row < z.rows && f < z.cols ? z.dense[row * z.cols + f] : 0.0f;
}

__global__ void scatter_sparse_slab(float* slab, DeviceRows z, int64_t first) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= z.rows) return;
  for (int64_t e = z.row_ptr[row] + threadIdx.x % 32; e < z.row_ptr[row + 1]; e += 32) {
    const int64_t f = z.col[e] - first;
    if (f >= 0 && f < kSlab) slab[row * kSlab + f] = z.values[e];
  }
}

// Eight numbers of a row at a time, as two times eight halves.
__global__ void pack_slab(uint8_t* packed, const float* slab, const float* unscale, int64_t groups,
                          int64_t slabs, int64_t s) {
  const int64_t at = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (at >= groups) return;
  const int64_t row = at / 8, group = at % 8, block = row / kBlockRows, r = row % kBlockRows;
  const float scale = 1.0f / unscale[row];
  alignas(16) __half leading[8], rest[8];
  for (int i = 0; i < 8; ++i) {
    const float x = slab[row * kSlab + group * 8 + i] * scale;
    leading[i] = __float2half_rn(x);
    rest[i] = __float2half_rn(x - __half2float(leading[i]));
  }
  uint8_t* to = packed + (block * slabs + s) * kBlockBytes + r * 128 + (group ^ (r % 8)) * 16;
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(leading);
  *reinterpret_cast<uint4*>(to + kPart) = *reinterpret_cast<const uint4*>(rest);
}

}  // namespace

OwnedRows copy_rows(const ZDense<float>& z) {
  OwnedRows out;
  out.numbers = DeviceArray<float>(z.z.data, z.z.size());
  out.view = {.rows = z.z.rows, .cols = z.z.cols, .dense = out.numbers.data()};
  return out;
}

OwnedRows copy_rows(const ZSparse<float>& z) {
  OwnedRows out;
  const int64_t entries = z.pattern.nnz();
  out.numbers = DeviceArray<float>(z.values, entries);
  out.row_ptr = DeviceArray<int64_t>(z.pattern.row_ptr, z.pattern.rows + 1);
  out.col = DeviceArray<int32_t>(z.pattern.col, entries);
  out.view = {.rows = z.pattern.rows,
              .cols = z.pattern.cols,
              .row_ptr = out.row_ptr.data(),
              .col = out.col.data(),
              .values = out.numbers.data()};
  return out;
}

void make_slab(float* slab, const DeviceRows& z, int64_t s) {
  const int64_t numbers = z.blocks() * kBlockRows * kSlab;
  if (z.is_sparse()) {
    check(cudaMemsetAsync(slab, 0, numbers * sizeof(float), stream()), "clearing a slab");
    scatter_sparse_slab<<<blocks_for(z.rows, kWarps), kThreads, 0, stream()>>>(slab, z, s * kSlab);
  } else {
    copy_dense_slab<<<blocks_for(numbers, kThreads), kThreads, 0, stream()>>>(slab, z, s * kSlab,
                                                                              numbers);
  }
  check(cudaGetLastError(), "starting to copy a slab");
}

int64_t PackedRows::bytes(const DeviceRows& z) {
  return z.blocks() * (z.slabs() * kBlockBytes + kBlockRows * int64_t{sizeof(float)} * (1 + kSlab));
}

PackedRows pack_rows(const DeviceRows& z) {
  PackedRows out{.rows = z.rows, .blocks = z.blocks(), .slabs = z.slabs()};
  const int64_t padded = out.blocks * kBlockRows;
  out.data = DeviceArray<uint8_t>(out.blocks * out.slabs * kBlockBytes);
  out.unscale = DeviceArray<float>(padded);
  find_unscale<<<blocks_for(padded, kWarps), kThreads, 0, stream()>>>(out.unscale.data(), z,
                                                                      padded);
  check(cudaGetLastError(), "starting to scale the rows");
  const DeviceArray<float> slab(padded * kSlab);
  for (int64_t s = 0; s < out.slabs; ++s) {
    make_slab(slab.data(), z, s);
    pack_slab<<<blocks_for(padded * 8, kThreads), kThreads, 0, stream()>>>(
        out.data.data(), slab.data(), out.unscale.data(), padded * 8, out.slabs, s);
    check(cudaGetLastError(), "starting to pack the rows");
  }
  return out;
}

}  // namespace glgnn::cuda
