#include "kernels/cuda/paper.cuh"

namespace glgnn::cuda::paper {
namespace {

template <int width>
__device__ float times_graph(const Edges& g, int row, const float* x, int c, int columns,
                             float* room) {
  const auto read = [&](int64_t j) { return c < columns ? x[j * columns + c] : 0.0f; };
  const float sum = gather_row<width>(
      g, row, [&](int64_t e, int) { return g.w[e]; }, [&](int t, int) { return g.by_w[t]; }, read,
      room);
  return fmaf(g.r[row] * g.r[row], read(row), sum);
}

template <int width>
__global__ void hidden_rows(const Layers l) {
  extern __shared__ float room[];
  float* const dropped = room + kRowThreads;
  const int row = blockIdx.x;
  for (int first = 0; first < l.h; first += width) {
    const int u = first + threadIdx.x % width;
    const float sum = times_graph<width>(l.g, row, l.p, u, l.h, room);
    if (threadIdx.x < width && u < l.h) {
      const int64_t at = int64_t{row} * l.h + u;
      l.x1[at] = fmaxf(sum, 0.0f);
      l.dropped[at] = dropped[u] = l.drop(fmaxf(sum, 0.0f), at);
    }
  }
  __syncthreads();
  for (int c = threadIdx.x; c < l.c; c += kRowThreads) {
    float sum = 0;
    for (int u = 0; u < l.h; ++u) sum = fmaf(dropped[u], l.w2[u * l.c + c], sum);
    l.u[int64_t{row} * l.c + c] = sum;
  }
}

template <int width>
__global__ void class_rows(const Layers l) {
  extern __shared__ float room[];
  float* const own = room + kRowThreads;
  const int row = blockIdx.x;
  for (int first = 0; first < l.c; first += width) {
    const int c = first + threadIdx.x % width;
    const float sum = times_graph<width>(l.g, row, l.u, c, l.c, room);
    if (threadIdx.x < width && c < l.c) l.o[int64_t{row} * l.c + c] = own[c] = sum;
  }
  __syncthreads();
  float top = own[0], sum = 0;
  for (int c = 1; c < l.c; ++c) top = fmaxf(top, own[c]);
  for (int c = 0; c < l.c; ++c) sum += expf(own[c] - top);
  for (int c = threadIdx.x; c < l.c; c += kRowThreads) {
    l.x2[int64_t{row} * l.c + c] = expf(own[c] - top) / sum;
  }
}

// The sum over the block, for thread 0.
__device__ float row_sum(float x, float* room) {
  x = warp_sum(x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < kRowThreads / 32; ++w) sum += room[w];
  return sum;
}

template <int width>
__global__ void back_to_hidden(const Layers l, const LayersGradient d) {
  extern __shared__ float room[];
  float* const d_u = room + kRowThreads;
  const int row = blockIdx.x;
  float part = 0;  // of d_o . o + u . d_u + d_y . x1
  for (int first = 0; first < l.c; first += width) {
    const int c = first + threadIdx.x % width;
    const float sum = times_graph<width>(l.g, row, d.d_o, c, l.c, room);
    if (threadIdx.x < width && c < l.c) {
      const int64_t at = int64_t{row} * l.c + c;
      d.d_u[at] = d_u[c] = sum;
      part += d.d_o[at] * l.o[at] + l.u[at] * sum;
    }
  }
  __syncthreads();
  for (int u = threadIdx.x; u < l.h; u += kRowThreads) {
    float sum = 0;
    for (int c = 0; c < l.c; ++c) sum = fmaf(d_u[c], l.w2[u * l.c + c], sum);
    const int64_t at = int64_t{row} * l.h + u;
    const float d_y = l.x1[at] > 0 ? l.drop(sum, at) + d.d_x1[at] : 0.0f;
    d.d_y[at] = d_y;
    part += d_y * l.x1[at];
  }
  part = row_sum(part, room);
  if (threadIdx.x == 0) d.sums[row] = part;
}

template <int width>
__global__ void back_to_input(const Layers l, const LayersGradient d) {
  extern __shared__ float room[];
  const int row = blockIdx.x;
  float part = 0;  // of p . d_p
  for (int first = 0; first < l.h; first += width) {
    const int u = first + threadIdx.x % width;
    const float sum = times_graph<width>(l.g, row, d.d_y, u, l.h, room);
    if (threadIdx.x < width && u < l.h) {
      const int64_t at = int64_t{row} * l.h + u;
      d.d_p[at] = sum;
      part += l.p[at] * sum;
    }
  }
  part = row_sum(part, room);
  if (threadIdx.x != 0) return;
  const float all = d.sums[row] + part + 2 * d.weight * d.row[row];
  d.d_degree[row] = -0.5f * l.g.r[row] * l.g.r[row] * all;
}

// Whole eights of numbers, as they are read.
int room_bytes(int numbers) { return 4 * (kRowThreads + (numbers + 7) / 8 * 8); }

}  // namespace

void layers_forward(const Layers& l) {
  for_width(l.h, [&]<int width>() {
    hidden_rows<width><<<l.g.n, kRowThreads, room_bytes(l.h), stream()>>>(l);
  });
  check(cudaGetLastError(), "starting the first layer");
  for_width(l.c, [&]<int width>() {
    class_rows<width><<<l.g.n, kRowThreads, room_bytes(l.c), stream()>>>(l);
  });
  check(cudaGetLastError(), "starting the second layer");
}

void layers_backward(const Layers& l, const LayersGradient& d) {
  for_width(l.c, [&]<int width>() {
    back_to_hidden<width><<<l.g.n, kRowThreads, room_bytes(l.c), stream()>>>(l, d);
  });
  check(cudaGetLastError(), "starting back through the second layer");
  for_width(l.h, [&]<int width>() {
    back_to_input<width><<<l.g.n, kRowThreads, room_bytes(0), stream()>>>(l, d);
  });
  check(cudaGetLastError(), "starting back through the first layer");
}

}  // namespace glgnn::cuda::paper
