#include <algorithm>

#include "kernels/cuda/paper.cuh"

namespace glgnn::cuda::paper {
namespace {

constexpr int kFeatureThreads = 128;

__device__ float softplus(float x) { return fmaxf(x, 0.0f) + log1pf(expf(-fabsf(x))); }

__global__ void prepare_numbers(const Prepared p) {
  const int64_t at = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (at < int64_t{p.f} * p.h) p.sw[at] = p.s[at / p.h] * p.w1[at];
  if (at < p.stride) {
    const float scaled = at < p.f ? p.s[at] * p.shrink : 0.0f;
    p.scaled[at] = scaled;
    p.squares[at] = scaled * scaled;
  }
  if (at != 0) return;
  const float other = logf(softplus(p.v[p.levels]));
  float most = 0;
  for (int d = 0; d < p.levels; ++d) {
    p.gain[d] = logf(softplus(p.v[d])) - other;
    most = fmaxf(most, p.gain[d]);
  }
  p.gain[p.levels] = most;
}

struct Packing {
  uint8_t* data;
  float* unscale;
  int64_t rows, padded, slabs;
};

// A warp for each row, whose numbers are read(f), f < cols.
template <class Read>
__device__ void pack_row(const Packing& to, int64_t row, int64_t cols, const Read& read) {
  const int lane = threadIdx.x % 32;
  float largest = 0;
  for (int64_t f = lane; f < cols; f += 32) largest = fmaxf(largest, fabsf(read(f)));
  const PowerOfTwo by = scale_for(warp_max(largest));
  if (lane == 0) to.unscale[row] = by.unscale;
  for (int64_t group = lane; group < 8 * to.slabs; group += 32) {
    float x[8];
    for (int i = 0; i < 8; ++i) {
      const int64_t f = 8 * group + i;
      x[i] = f < cols ? read(f) * by.scale : 0.0f;
    }
    store_halves(to.data, to.slabs, row, group, x);
  }
}

__global__ void pack_dense(const Packing to, const Rows x, const float* scaled) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= to.padded) return;
  const float* const own = x.dense + row * x.stride;
  pack_row(to, row, row < to.rows ? x.f : 0, [&](int64_t f) { return own[f] * scaled[f]; });
}

__global__ void pack_labelled(const Packing to, const float* x1, int units, const int32_t* shown,
                              int classes, float label) {
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= to.padded) return;
  const int own = row < to.rows ? shown[row] : -1;
  pack_row(to, row, row < to.rows ? classes + units : 0, [&](int64_t f) {
    return f < classes ? (f == own ? label : 0.0f) : x1[row * units + f - classes];
  });
}

// Some slabs at a time become dense in shared memory.
__global__ void pack_sparse(const Packing to, const Rows x, const float* scaled) {
  constexpr int kSlabs = 16, kNumbers = kSlabs * kSlab;
  __shared__ float dense[kWarps][kNumbers];
  const int64_t row = int64_t{blockIdx.x} * kWarps + threadIdx.x / 32;
  if (row >= to.padded) return;
  const int lane = threadIdx.x % 32;
  float* const own = dense[threadIdx.x / 32];
  const int64_t begin = row < to.rows ? x.row_ptr[row] : 0;
  const int64_t end = row < to.rows ? x.row_ptr[row + 1] : 0;
  float largest = 0;
  for (int64_t e = begin + lane; e < end; e += 32) {
    largest = fmaxf(largest, fabsf(x.values[e] * scaled[x.col[e]]));
  }
  const PowerOfTwo by = scale_for(warp_max(largest));
  if (lane == 0) to.unscale[row] = by.unscale;
  for (int64_t slab = 0; slab < to.slabs; slab += kSlabs) {
    for (int i = lane; i < kNumbers; i += 32) own[i] = 0;
    __syncwarp();
    for (int64_t e = begin + lane; e < end; e += 32) {
      const int64_t f = x.col[e] - slab * kSlab;
      if (f >= 0 && f < kNumbers) own[f] = x.values[e] * scaled[x.col[e]] * by.scale;
    }
    __syncwarp();
    const int64_t groups = 8 * min(int64_t{kSlabs}, to.slabs - slab);
    for (int64_t group = lane; group < groups; group += 32) {
      float eight[8];
      for (int i = 0; i < 8; ++i) eight[i] = own[8 * group + i];
      store_halves(to.data, to.slabs, row, 8 * slab + group, eight);
    }
    __syncwarp();
  }
}

// A row of X with dropout, as a product reads it.
struct DroppedRows {
  const float* data;
  int64_t stride, cols;
  Drop drop;
  __device__ float operator()(int64_t i, int64_t f) const {
    return drop(data[i * stride + f], i * cols + f);
  }
};

__global__ void sparse_product(float* p, float* dropped, const Rows x, const float* sw, int h,
                               const Drop drop) {
  const int row = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= x.n) return;
  const int64_t end = x.row_ptr[row + 1];
  for (int first = 0; first < h; first += 32) {
    const int u = first + lane;
    float sum = 0;
    for (int64_t begin = x.row_ptr[row]; begin < end; begin += 32) {
      const int64_t e = begin + lane;
      const float value = e < end ? drop(x.values[e], e) : 0.0f;
      const int column = e < end ? x.col[e] : 0;
      if (first == 0 && e < end) dropped[e] = value;
      const int count = static_cast<int>(min(int64_t{32}, end - begin));
      for (int q = 0; q < count; ++q) {
        const float of_q = __shfl_sync(0xffffffffu, value, q);
        const int64_t f = __shfl_sync(0xffffffffu, column, q);
        if (u < h) sum = fmaf(of_q, sw[f * h + u], sum);
      }
    }
    if (u < h) p[int64_t{row} * h + u] = sum;
  }
}

// A block of threads for each feature, of which there may be few with many rows each.
constexpr int kColumnWarps = 32;
__global__ void sparse_gradient(float* d_sw, const float* dropped, const Rows x, const float* d_p,
                                int h) {
  __shared__ float room[kColumnWarps][32];
  const int f = blockIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int64_t end = x.column_ptr[f + 1];
  for (int first = 0; first < h; first += 32) {
    const int u = first + lane;
    float sum = 0;
#pragma unroll 4
    for (int64_t q = x.column_ptr[f] + warp; q < end; q += kColumnWarps) {
      const float value = dropped[x.column_entry[q]];
      if (u < h) sum = fmaf(value, d_p[int64_t{x.column_row[q]} * h + u], sum);
    }
    room[warp][lane] = sum;
    __syncthreads();
    if (warp == 0 && u < h) {
      for (int w = 1; w < kColumnWarps; ++w) sum += room[w][lane];
      d_sw[int64_t{f} * h + u] = sum;
    }
    __syncthreads();
  }
}

int selection_chunks(const Rows& x) { return std::min(x.n, 264); }

// parts[chunk]: sum over its rows i of X_if sum_j d_s_ij X_jf.
__global__ void select_dense(float* parts, const Rows x, const Edges g, const float* d_s) {
  const int f = blockIdx.y * kFeatureThreads + threadIdx.x;
  if (f >= x.f) return;
  const int each = (x.n + static_cast<int>(gridDim.x) - 1) / static_cast<int>(gridDim.x);
  const int last = min(x.n, static_cast<int>(blockIdx.x + 1) * each);
  float sum = 0;
  for (int i = blockIdx.x * each; i < last; ++i) {
    const int64_t begin = int64_t{i} * g.k, end = begin + g.count[i];
    float of_row = 0;
#pragma unroll 4
    for (int64_t e = begin; e < end; ++e) {
      of_row = fmaf(d_s[e], x.dense[int64_t{g.col[e]} * x.stride + f], of_row);
    }
    sum = fmaf(x.dense[int64_t{i} * x.stride + f], of_row, sum);
  }
  parts[int64_t{blockIdx.x} * x.f + f] = sum;
}

// parts[entry (i, f)]: X_if sum_j d_s_ij X_jf. A warp for each row.
__global__ void select_sparse(float* parts, const Rows x, const Edges g, const float* d_s) {
  const int row = blockIdx.x * kWarps + threadIdx.x / 32;
  if (row >= x.n) return;
  const int64_t first = int64_t{row} * g.k, last = first + g.count[row];
  for (int64_t e = x.row_ptr[row] + threadIdx.x % 32; e < x.row_ptr[row + 1]; e += 32) {
    const int32_t f = x.col[e];
    float sum = 0;
    for (int64_t edge = first; edge < last; ++edge) {
      const int64_t end = x.row_ptr[g.col[edge] + 1];
      const int64_t place = first_not_below(x.col, x.row_ptr[g.col[edge]], end, f);
      if (place < end && x.col[place] == f) sum = fmaf(d_s[edge], x.values[place], sum);
    }
    parts[e] = x.values[e] * sum;
  }
}

// A warp for each feature.
__global__ void finish_features(const __grid_constant__ FeatureGradient job, int chunks) {
  const int f = blockIdx.x * kWarps + threadIdx.x / 32, lane = threadIdx.x % 32;
  const Rows& x = job.x;
  if (f >= x.f) return;
  double selected = 0;
  if (x.is_sparse()) {
    for (int64_t q = x.column_ptr[f] + lane; q < x.column_ptr[f + 1]; q += 32) {
      selected += job.room[x.column_entry[q]];
    }
  } else {
    for (int part = lane; part < chunks; part += 32) selected += job.room[int64_t{part} * x.f + f];
  }
  selected = warp_sum(selected);
  float through = 0;
  for (int u = lane; u < job.h; u += 32) {
    const int64_t at = int64_t{f} * job.h + u;
    through = fmaf(job.w1[at], job.d_sw[at], through);
    job.d_w1[at] = job.s[f] * job.d_sw[at] + 2 * job.decay * job.w1[at];
  }
  through = warp_sum(through);
  if (lane == 0) {
    job.d_select[f] = 2 * job.shrink * job.scaled[f] * static_cast<float>(selected) + through;
  }
}

}  // namespace

void prepare(const Prepared& p) {
  const int64_t most = std::max<int64_t>(p.stride, int64_t{p.f} * p.h);
  prepare_numbers<<<blocks_of(most, kThreads), kThreads, 0, stream()>>>(p);
  check(cudaGetLastError(), "starting to prepare the parameters");
}

void pack_selected(PackedRows& to, const Rows& x, const float* scaled) {
  const Packing packing{to.data.data(), to.unscale.data(), x.n, to.blocks * kBlockRows, to.slabs};
  const auto kernel = x.is_sparse() ? pack_sparse : pack_dense;
  kernel<<<blocks_of(packing.padded, kWarps), kThreads, 0, stream()>>>(packing, x, scaled);
  check(cudaGetLastError(), "starting to pack the features");
}

void pack_hidden(PackedRows& to, const float* x1, int64_t n, int units, const int32_t* shown,
                 int classes, float label) {
  const Packing packing{to.data.data(), to.unscale.data(), n, to.blocks * kBlockRows, to.slabs};
  pack_labelled<<<blocks_of(packing.padded, kWarps), kThreads, 0, stream()>>>(
      packing, x1, units, shown, classes, label);
  check(cudaGetLastError(), "starting to pack the hidden units");
}

void input_product(float* p, float* dropped, const Rows& x, const float* sw, int h,
                   const Drop& drop) {
  if (!x.is_sparse()) {
    product(DroppedRows{x.dense, x.stride, x.f, drop}, Plain{sw, h}, {x.n, x.f, h}, Store{p, h});
    return;
  }
  sparse_product<<<blocks_of(x.n, kWarps), kThreads, 0, stream()>>>(p, dropped, x, sw, h, drop);
  check(cudaGetLastError(), "starting the first product");
}

int64_t input_room(const Rows& x, int h) {
  return x.is_sparse() ? 0 : transposed_room({x.f, x.n, h});
}

void input_gradient(float* d_sw, const float* dropped, const Rows& x, const float* d_p, int h,
                    const Drop& drop, float* room) {
  if (!x.is_sparse()) {
    transposed_product(DroppedRows{x.dense, x.stride, x.f, drop}, Plain{d_p, h}, {x.f, x.n, h},
                       Store{d_sw, h}, room);
    return;
  }
  sparse_gradient<<<x.f, 32 * kColumnWarps, 0, stream()>>>(d_sw, dropped, x, d_p, h);
  check(cudaGetLastError(), "starting the gradient of the first product");
}

int64_t selection_room(const Rows& x) {
  return x.is_sparse() ? x.entries : int64_t{selection_chunks(x)} * x.f;
}

void feature_gradient(const FeatureGradient& job) {
  const Rows& x = job.x;
  const int chunks = selection_chunks(x);
  if (x.is_sparse()) {
    select_sparse<<<blocks_of(x.n, kWarps), kThreads, 0, stream()>>>(job.room, x, job.g, job.d_s);
  } else {
    select_dense<<<dim3(chunks, blocks_of(x.f, kFeatureThreads)), kFeatureThreads, 0, stream()>>>(
        job.room, x, job.g, job.d_s);
  }
  check(cudaGetLastError(), "starting the gradient of the selection");
  finish_features<<<blocks_of(x.f, kWarps), kThreads, 0, stream()>>>(job, chunks);
  check(cudaGetLastError(), "starting the gradient of the features");
}

}  // namespace glgnn::cuda::paper
