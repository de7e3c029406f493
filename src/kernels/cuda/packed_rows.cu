#include "kernels/cuda/packed_rows.cuh"

namespace glgnn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

int blocks_for(int64_t items, int per_block) {
  return static_cast<int>((items + per_block - 1) / per_block);
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
  const int64_t row = at / 8, group = at % 8;
  const float scale = 1.0f / unscale[row];
  float x[8];
  for (int i = 0; i < 8; ++i) x[i] = slab[row * kSlab + group * 8 + i] * scale;
  store_halves(packed, slabs, row, s * 8 + group, x);
}

// A block of threads for each tile: its 64 x 64 numbers, by features, rows in the order in which
// the weights lie in registers (2 t, then 2 t + 1 of each eight), swizzled.
__global__ void transpose_blocks(uint8_t* to, const float* slab) {
  __shared__ float numbers[kBlockRows][kSlab + 1];
  const int64_t tile = blockIdx.x;
  for (int at = threadIdx.x; at < kBlockRows * kSlab; at += blockDim.x) {
    numbers[at / kSlab][at % kSlab] = slab[tile * kBlockRows * kSlab + at];
  }
  __syncthreads();
  uint8_t* out = to + tile * kTransposedBytes;
  for (int at = threadIdx.x; at < 2 * kSlab * 8; at += blockDim.x) {
    const int panel = at / (kSlab * 8), f = at / 8 % kSlab, part = at % 8;
    float4 leading, rest;
    const auto split = [&](int i, float& first, float& second) {
      const int in_eight = part % 2 * 4 + i;
      const int j = panel * 32 + part / 2 * 8 + (in_eight < 4 ? 2 * in_eight : 2 * in_eight - 7);
      first = tf32(numbers[j][f]);
      second = tf32(numbers[j][f] - first);
    };
    split(0, leading.x, rest.x);
    split(1, leading.y, rest.y);
    split(2, leading.z, rest.z);
    split(3, leading.w, rest.w);
    uint8_t* here = out + panel * kPanel + f * 128 + (part ^ (f % 8)) * 16;
    *reinterpret_cast<float4*>(here) = leading;
    *reinterpret_cast<float4*>(here + kTransposedPart) = rest;
  }
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

PackedRows room_for(const DeviceRows& z) {
  return {.rows = z.rows,
          .blocks = z.blocks(),
          .slabs = z.slabs(),
          .data = DeviceArray<uint8_t>(z.blocks() * z.slabs() * kBlockBytes),
          .unscale = DeviceArray<float>(z.blocks() * kBlockRows)};
}

PackedRows pack_rows(const DeviceRows& z) {
  PackedRows out = room_for(z);
  const int64_t padded = out.blocks * kBlockRows;
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

void pack_transposed(uint8_t* to, const float* slab, int blocks) {
  transpose_blocks<<<blocks, 256, 0, stream()>>>(to, slab);
  check(cudaGetLastError(), "starting to pack a slab");
}

}  // namespace glgnn::cuda
