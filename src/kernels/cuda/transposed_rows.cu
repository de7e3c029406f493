#include "kernels/cuda/transposed_rows.cuh"

namespace glgnn::cuda {
namespace {

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

void pack_transposed(uint8_t* to, const float* slab, int blocks) {
  transpose_blocks<<<blocks, 256, 0, stream()>>>(to, slab);
  check(cudaGetLastError(), "starting to pack a slab");
}

}  // namespace glgnn::cuda
