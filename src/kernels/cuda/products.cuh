// Dense products on the device in float, for matrices of many rows and few columns. What is read
// and what is done with a result are given as functions, so that dropout, biases and the like cost
// no pass of their own.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/cuda/runtime.cuh"
#include "core/rng.h"
#include "kernels/dense.h"
#include "kernels/propagate.h"

namespace glgnn::cuda {

struct HeldMatrix::Arrays {
  int64_t rows, cols;
  DeviceArray<float> numbers;
};

struct HeldGraph::Arrays {
  int64_t rows;
  DeviceArray<int64_t> row_ptr;
  DeviceArray<int32_t> col;
  DeviceArray<float> values;

  // As kernels/propagate.h says, of numbers on the device. `z` and `spare` have the size of `h`;
  // the result is in the one that is given back.
  float* propagate(float* z, float* spare, const float* h, int64_t cols, int64_t steps,
                   float alpha) const;
};

// The numbers of a matrix, as a product reads them.
struct Plain {
  const float* data;
  int64_t cols;
  __device__ float operator()(int64_t i, int64_t j) const { return data[i * cols + j]; }
};
struct Transposed {
  const float* data;
  int64_t cols;
  __device__ float operator()(int64_t i, int64_t j) const { return data[j * cols + i]; }
};

struct Squared {
  const float* data;
  int64_t cols;
  __device__ float operator()(int64_t i, int64_t j) const {
    return data[i * cols + j] * data[i * cols + j];
  }
};
struct Ones {
  __device__ float operator()(int64_t, int64_t) const { return 1.0f; }
};

// What dropout makes of number `index`, as kernels/layers.h says, by the numbers of core/rng.h.
struct Drop {
  uint32_t key[2], step, who;
  float rate, scale;
  const uint32_t* later;  // on the device: added to the step; null: nothing

  explicit Drop(float rate, const Rng& rng, const uint32_t* later = nullptr)
      : key{static_cast<uint32_t>(rng.seed), static_cast<uint32_t>(rng.seed >> 32)},
        step(rng.step),
        who((static_cast<uint32_t>(rng.stream) << 16) | rng.owner),
        rate(rate),
        scale(1.0f / (1.0f - rate)),
        later(later) {}

  // Number `index`, uniform on (0, 1).
  __device__ float uniform(int64_t index) const {
    const auto block = static_cast<uint64_t>(index) / 4;
    const r123::Philox4x32::ctr_type counter{{static_cast<uint32_t>(block),
                                              static_cast<uint32_t>(block >> 32),
                                              later ? step + *later : step, who}};
    const auto drawn = r123::Philox4x32()(counter, {{key[0], key[1]}});
    const int which = static_cast<int>(index % 4);  // not an index: registers have none
    const uint32_t bits = which == 0   ? drawn[0]
                          : which == 1 ? drawn[1]
                          : which == 2 ? drawn[2]
                                       : drawn[3];
    return (static_cast<float>(bits >> 9) + 0.5f) * 0x1p-23f;
  }
  __device__ float operator()(float value, int64_t index) const {
    if (rate <= 0) return value;
    return uniform(index) >= rate ? value * scale : 0.0f;
  }
};
struct Dropped {
  const float* data;
  int64_t cols;
  Drop drop;
  __device__ float operator()(int64_t i, int64_t j) const {
    return drop(data[i * cols + j], i * cols + j);
  }
};

constexpr int kTile = 64, kDeep = 16, kTileThreads = 256, kOfAThread = 4;

// A tile of sums: sums[r][c] of a thread are of row kOfAThread * (thread / 16) + r and so on.
// read_a(d, r) and read_b(d, c) give the numbers of the tile at depth d, 0 outside.
template <class ReadA, class ReadB>
__device__ void add_tiles(float (&sums)[kOfAThread][kOfAThread], int64_t depth, const ReadA& read_a,
                          const ReadB& read_b) {
  __shared__ float a[kDeep][kTile + 4], b[kDeep][kTile + 4];
  const int row = kOfAThread * (threadIdx.x / 16), col = kOfAThread * (threadIdx.x % 16);
  for (int64_t first = 0; first < depth; first += kDeep) {
    for (int e = threadIdx.x; e < kDeep * kTile; e += kTileThreads) {
      read_a(a, e, first);
      read_b(b, e, first);
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < kDeep; ++d) {
#pragma unroll
      for (int r = 0; r < kOfAThread; ++r) {
#pragma unroll
        for (int c = 0; c < kOfAThread; ++c) {
          sums[r][c] = fmaf(a[d][row + r], b[d][col + c], sums[r][c]);
        }
      }
    }
    __syncthreads();
  }
}

struct ProductShape {
  int64_t rows, inner, cols;
};

// finish(i, j, sum over d of a(i, d) b(d, j)), once for each i and j.
template <class A, class B, class Finish>
__global__ void product_tile(const A a, const B b, const ProductShape shape, const Finish finish) {
  const int64_t top = int64_t{blockIdx.x} * kTile, left = int64_t{blockIdx.y} * kTile;
  float sums[kOfAThread][kOfAThread] = {};
  // Neighbouring threads read numbers that are neighbours in memory, of a along d, of b along j.
  add_tiles(
      sums, shape.inner,
      [&](auto& to, int e, int64_t first) {
        const int64_t i = top + e / kDeep, d = first + e % kDeep;
        to[e % kDeep][e / kDeep] = i < shape.rows && d < shape.inner ? a(i, d) : 0.0f;
      },
      [&](auto& to, int e, int64_t first) {
        const int64_t d = first + e / kTile, j = left + e % kTile;
        to[e / kTile][e % kTile] = d < shape.inner && j < shape.cols ? b(d, j) : 0.0f;
      });
  const int64_t row = top + kOfAThread * (threadIdx.x / 16);
  const int64_t col = left + kOfAThread * (threadIdx.x % 16);
  for (int r = 0; r < kOfAThread; ++r) {
    for (int c = 0; c < kOfAThread; ++c) {
      if (row + r < shape.rows && col + c < shape.cols) finish(row + r, col + c, sums[r][c]);
    }
  }
}

template <class A, class B, class Finish>
void product(const A& a, const B& b, const ProductShape& shape, const Finish& finish) {
  if (shape.rows == 0 || shape.cols == 0) return;
  const dim3 tiles(static_cast<unsigned>((shape.rows + kTile - 1) / kTile),
                   static_cast<unsigned>((shape.cols + kTile - 1) / kTile));
  product_tile<<<tiles, kTileThreads, 0, stream()>>>(a, b, shape, finish);
  check(cudaGetLastError(), "starting a product");
}

// Pieces of rows, so that sums over all of them fill the device; added up in their order.
inline int64_t slice_rows(int64_t rows) {
  return std::max<int64_t>(256, (rows + 255) / 256 / 16 * 16 + 16);
}

// parts[slice] = sum over the slice's rows i of a(i, p) b(i, q).
template <class A, class B>
__global__ void transposed_tile(float* parts, const A a, const B b, const ProductShape shape,
                                int64_t slice) {
  const int64_t top = int64_t{blockIdx.x} * kTile, left = int64_t{blockIdx.y} * kTile;
  const int64_t begin = blockIdx.z * slice, end = min(shape.inner, begin + slice);
  float sums[kOfAThread][kOfAThread] = {};
  add_tiles(
      sums, end - begin,
      [&](auto& to, int e, int64_t first) {
        const int64_t i = begin + first + e / kTile, p = top + e % kTile;
        to[e / kTile][e % kTile] = i < end && p < shape.rows ? a(i, p) : 0.0f;
      },
      [&](auto& to, int e, int64_t first) {
        const int64_t i = begin + first + e / kTile, q = left + e % kTile;
        to[e / kTile][e % kTile] = i < end && q < shape.cols ? b(i, q) : 0.0f;
      });
  const int64_t row = top + kOfAThread * (threadIdx.x / 16);
  const int64_t col = left + kOfAThread * (threadIdx.x % 16);
  float* const part = parts + blockIdx.z * shape.rows * shape.cols;
  for (int r = 0; r < kOfAThread; ++r) {
    for (int c = 0; c < kOfAThread; ++c) {
      if (row + r < shape.rows && col + c < shape.cols) {
        part[(row + r) * shape.cols + col + c] = sums[r][c];
      }
    }
  }
}

template <class Finish>
__global__ void add_slices(const float* parts, int64_t numbers, int64_t slices,
                           const Finish finish) {
  const int64_t e = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (e >= numbers) return;
  double sum = 0;
  for (int64_t s = 0; s < slices; ++s) sum += parts[s * numbers + e];
  finish(e, static_cast<float>(sum));
}

// The numbers that transposed_product() wants as room.
inline int64_t transposed_room(const ProductShape& shape) {
  const int64_t slice = slice_rows(shape.inner), slices = (shape.inner + slice - 1) / slice;
  return std::max<int64_t>(1, slices * shape.rows * shape.cols);
}

// finish(p * cols + q, sum over all rows i of a(i, p) b(i, q)); `inner` is the rows.
template <class A, class B, class Finish>
void transposed_product(const A& a, const B& b, const ProductShape& shape, const Finish& finish,
                        float* room) {
  const int64_t numbers = shape.rows * shape.cols, slice = slice_rows(shape.inner);
  const int64_t slices = (shape.inner + slice - 1) / slice;
  if (numbers == 0) return;
  const dim3 tiles(static_cast<unsigned>((shape.rows + kTile - 1) / kTile),
                   static_cast<unsigned>((shape.cols + kTile - 1) / kTile),
                   static_cast<unsigned>(slices));
  if (slices > 0) {
    transposed_tile<<<tiles, kTileThreads, 0, stream()>>>(room, a, b, shape, slice);
    check(cudaGetLastError(), "starting a product");
  }
  add_slices<<<static_cast<int>((numbers + 255) / 256), 256, 0, stream()>>>(room, numbers, slices,
                                                                            finish);
  check(cudaGetLastError(), "adding up a product");
}
template <class A, class B, class Finish>
void transposed_product(const A& a, const B& b, const ProductShape& shape, const Finish& finish) {
  const DeviceArray<float> room(transposed_room(shape));
  transposed_product(a, b, shape, finish, room.data());
}

struct Store {
  float* out;
  int64_t cols;
  __device__ void operator()(int64_t i, int64_t j, float sum) const { out[i * cols + j] = sum; }
  __device__ void operator()(int64_t e, float sum) const { out[e] = sum; }
};

}  // namespace glgnn::cuda
