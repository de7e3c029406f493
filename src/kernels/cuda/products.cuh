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

  // Four numbers are drawn at once, from a multiple of 4 on.
  __device__ r123::Philox4x32::ctr_type draw(int64_t index) const {
    const auto block = static_cast<uint64_t>(index) / 4;
    const r123::Philox4x32::ctr_type counter{{static_cast<uint32_t>(block),
                                              static_cast<uint32_t>(block >> 32),
                                              later ? step + *later : step, who}};
    return r123::Philox4x32()(counter, {{key[0], key[1]}});
  }
  __device__ static float uniform_of(uint32_t bits) {
    return (static_cast<float>(bits >> 9) + 0.5f) * 0x1p-23f;
  }
  // Number `index`, uniform on (0, 1).
  __device__ float uniform(int64_t index) const {
    const auto drawn = draw(index);
    const int which = static_cast<int>(index % 4);  // not an index: registers have none
    const uint32_t bits = which == 0   ? drawn[0]
                          : which == 1 ? drawn[1]
                          : which == 2 ? drawn[2]
                                       : drawn[3];
    return uniform_of(bits);
  }
  __device__ float operator()(float value, int64_t index) const {
    if (rate <= 0) return value;
    return uniform(index) >= rate ? value * scale : 0.0f;
  }
  // The same of four numbers, the first being number `index`, a multiple of 4.
  __device__ void four(float (&x)[4], int64_t index) const {
    if (rate <= 0) return;
    const auto drawn = draw(index);
#pragma unroll
    for (int t = 0; t < 4; ++t) x[t] = uniform_of(drawn[t]) >= rate ? x[t] * scale : 0.0f;
  }
};
struct Dropped {
  const float* data;
  int64_t cols;
  Drop drop;
  __device__ float operator()(int64_t i, int64_t j) const {
    return drop(data[i * cols + j], i * cols + j);
  }
  __device__ bool is_quad(int64_t i, int64_t j) const { return (i * cols + j) % 4 == 0; }
  __device__ void four(float (&x)[4], int64_t i, int64_t j) const {
#pragma unroll
    for (int t = 0; t < 4; ++t) x[t] = data[i * cols + j + t];
    drop.four(x, i * cols + j);
  }
};

// The gradient of hidden units by that of what w2 makes of them: scaled where they are not 0.
struct Pulled {
  const float *d_o, *w2, *h;
  int64_t width, classes, units;
  float scale;
  __device__ bool is_quad(int64_t, int64_t) const { return true; }
  __device__ void four(float (&x)[4], int64_t i, int64_t u) const {
#pragma unroll
    for (int t = 0; t < 4; ++t) x[t] = 0;
    for (int64_t c = 0; c < classes; ++c) {
      const float pull = d_o[i * width + c];
#pragma unroll
      for (int t = 0; t < 4; ++t) x[t] = fmaf(pull, w2[(u + t) * classes + c], x[t]);
    }
#pragma unroll
    for (int t = 0; t < 4; ++t) x[t] = h[i * units + u + t] != 0 ? x[t] * scale : 0.0f;
  }
  __device__ float operator()(int64_t i, int64_t u) const {
    float sum = 0;
    for (int64_t c = 0; c < classes; ++c) {
      sum = fmaf(d_o[i * width + c], w2[u * classes + c], sum);
    }
    return h[i * units + u] != 0 ? sum * scale : 0.0f;
  }
};

// Numbers (i, j) .. (i, j + 3) of a matrix of this size, 0 outside.
template <class A>
__device__ void read_four(float (&x)[4], const A& a, int64_t i, int64_t j, int64_t rows,
                          int64_t cols) {
  if constexpr (requires { a.is_quad(i, j); }) {
    if (i < rows && j + 3 < cols && a.is_quad(i, j)) return a.four(x, i, j);
  }
#pragma unroll
  for (int t = 0; t < 4; ++t) x[t] = i < rows && j + t < cols ? a(i, j + t) : 0.0f;
}

constexpr int kTile = 64, kDeep = 16, kTileThreads = 256, kOfAThread = 4;

// A tile of sums: sums[r][c] of a thread are of row kOfAThread * (thread / 16) + r and so on.
// read_a(a, first) and read_b(b, first) put the numbers of depth first, first + 1, ... where they
// belong, four for each thread; see(b) is shown those of b.
template <class ReadA, class ReadB, class See>
__device__ void add_tiles(float (&sums)[kOfAThread][kOfAThread], int64_t depth, const ReadA& read_a,
                          const ReadB& read_b, const See& see) {
  static_assert(kDeep * kTile == 4 * kTileThreads);
  __shared__ __align__(16) float a[kDeep][kTile + 4], b[kDeep][kTile + 4];
  const int row = kOfAThread * (threadIdx.x / 16), col = kOfAThread * (threadIdx.x % 16);
  for (int64_t first = 0; first < depth; first += kDeep) {
    read_a(a, first);
    read_b(b, first);
    __syncthreads();
    see(b);
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

// Rows first, first + 1, ... and columns left, left + 1, ... of a matrix of this size.
template <class B>
__device__ void read_rows(float (&to)[kDeep][kTile + 4], const B& b, int64_t first, int64_t left,
                          int64_t rows, int64_t cols) {
  constexpr int kQuads = kTile / 4;
  const int d = threadIdx.x / kQuads, j = 4 * (threadIdx.x % kQuads);
  float x[4];
  read_four(x, b, first + d, left + j, rows, cols);
  *reinterpret_cast<float4*>(&to[d][j]) = make_float4(x[0], x[1], x[2], x[3]);
}

// The tile of a b whose first row and column are `top` and `left`.
template <class A, class B>
__device__ void multiply_tile(float (&sums)[kOfAThread][kOfAThread], const A& a, const B& b,
                              const ProductShape& shape, int64_t top, int64_t left) {
  // Neighbouring threads read numbers that are neighbours in memory, of a along d, of b along j.
  add_tiles(
      sums, shape.inner,
      [&](auto& to, int64_t first) {
        constexpr int kQuads = kDeep / 4;
        const int r = threadIdx.x / kQuads, d = 4 * (threadIdx.x % kQuads);
        float x[4];
        read_four(x, a, top + r, first + d, shape.rows, shape.inner);
#pragma unroll
        for (int t = 0; t < 4; ++t) to[d + t][r] = x[t];
      },
      [&](auto& to, int64_t first) { read_rows(to, b, first, left, shape.inner, shape.cols); },
      [](auto&) {});
}

// finish(i, j, sum over d of a(i, d) b(d, j)), once for each i and j.
template <class A, class B, class Finish>
__global__ void product_tile(const A a, const B b, const ProductShape shape, const Finish finish) {
  const int64_t top = int64_t{blockIdx.x} * kTile, left = int64_t{blockIdx.y} * kTile;
  float sums[kOfAThread][kOfAThread] = {};
  multiply_tile(sums, a, b, shape, top, left);
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

// parts[slice] = sum over the slice's rows i of a(i, p) b(i, q); then, where `whole`, a row of the
// sums of b(i, q).
template <bool whole, class A, class B>
__global__ void transposed_tile(float* parts, const A a, const B b, const ProductShape shape,
                                int64_t slice) {
  const int64_t top = int64_t{blockIdx.x} * kTile, left = int64_t{blockIdx.y} * kTile;
  const int64_t begin = blockIdx.z * slice, end = min(shape.inner, begin + slice);
  float sums[kOfAThread][kOfAThread] = {}, column = 0;
  add_tiles(
      sums, end - begin,
      [&](auto& to, int64_t first) { read_rows(to, a, begin + first, top, end, shape.rows); },
      [&](auto& to, int64_t first) { read_rows(to, b, begin + first, left, end, shape.cols); },
      [&](auto& numbers) {
        if (!whole || top > 0 || threadIdx.x >= kTile) return;
        for (int d = 0; d < kDeep; ++d) column += numbers[d][threadIdx.x];
      });
  const int64_t row = top + kOfAThread * (threadIdx.x / 16);
  const int64_t col = left + kOfAThread * (threadIdx.x % 16);
  float* const part = parts + blockIdx.z * (shape.rows + whole) * shape.cols;
  if (whole && top == 0 && threadIdx.x < kTile && left + threadIdx.x < shape.cols) {
    part[shape.rows * shape.cols + left + threadIdx.x] = column;
  }
  for (int r = 0; r < kOfAThread; ++r) {
    for (int c = 0; c < kOfAThread; ++c) {
      if (row + r < shape.rows && col + c < shape.cols) {
        part[(row + r) * shape.cols + col + c] = sums[r][c];
      }
    }
  }
}

// A warp has 32 numbers, and kSharing warps share their slices.
constexpr int kSharing = 8;

template <class Finish>
__global__ void add_slices(const float* parts, int64_t numbers, int64_t slices,
                           const Finish finish) {
  __shared__ double sums[kSharing][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int64_t e = int64_t{blockIdx.x} * 32 + lane;
  double sum = 0;
  if (e < numbers) {
#pragma unroll 4
    for (int64_t s = warp; s < slices; s += kSharing) sum += parts[s * numbers + e];
  }
  sums[warp][lane] = sum;
  __syncthreads();
  if (warp > 0 || e >= numbers) return;
  for (int other = 1; other < kSharing; ++other) sum += sums[other][lane];
  finish(e, static_cast<float>(sum));
}

// The numbers that transposed_product() wants as room.
inline int64_t transposed_room(const ProductShape& shape) {
  const int64_t slice = slice_rows(shape.inner), slices = (shape.inner + slice - 1) / slice;
  return std::max<int64_t>(1, slices * (shape.rows + 1) * shape.cols);
}

// finish(p * cols + q, sum over all rows i of a(i, p) b(i, q)); `inner` is the rows. Where `whole`,
// row p = rows is that of the sums of b(i, q).
template <bool whole = false, class A, class B, class Finish>
void transposed_product(const A& a, const B& b, const ProductShape& shape, const Finish& finish,
                        float* room) {
  const int64_t numbers = (shape.rows + whole) * shape.cols, slice = slice_rows(shape.inner);
  const int64_t slices = (shape.inner + slice - 1) / slice;
  if (numbers == 0) return;
  const dim3 tiles(static_cast<unsigned>((shape.rows + kTile - 1) / kTile),
                   static_cast<unsigned>((shape.cols + kTile - 1) / kTile),
                   static_cast<unsigned>(slices));
  if (slices > 0) {
    transposed_tile<whole><<<tiles, kTileThreads, 0, stream()>>>(room, a, b, shape, slice);
    check(cudaGetLastError(), "starting a product");
  }
  add_slices<<<static_cast<int>((numbers + 31) / 32), 32 * kSharing, 0, stream()>>>(room, numbers,
                                                                                    slices, finish);
  check(cudaGetLastError(), "adding up a product");
}
template <bool whole = false, class A, class B, class Finish>
void transposed_product(const A& a, const B& b, const ProductShape& shape, const Finish& finish) {
  const DeviceArray<float> room(transposed_room(shape));
  transposed_product<whole>(a, b, shape, finish, room.data());
}

struct Store {
  float* out;
  int64_t cols;
  __device__ void operator()(int64_t i, int64_t j, float sum) const { out[i * cols + j] = sum; }
  __device__ void operator()(int64_t e, float sum) const { out[e] = sum; }
};

}  // namespace glgnn::cuda
