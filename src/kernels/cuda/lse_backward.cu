// d_Z_i += sum_j w_ij Z_j with w_ij = d_lse_i exp(S_ij - lse_i) + d_lse_j exp(S_ij - lse_j), over
// the same tiles as the choice, for 64 features at a time. A warpgroup holds 64 rows and streams by
// all columns, 64 at a time: the similarities as in choose.cu, the weights in their place in
// registers, and from there the second product, in TF32 because weights have too wide a range for
// halves; it too is three products, of leading and remaining parts. The matrix unit cuts sums off
// instead of rounding them, so each tile's sum is added up outside of it.
#include <algorithm>

#include "kernels/cuda/choose.cuh"
#include "kernels/cuda/hopper.cuh"
#include "kernels/cuda/tiles.cuh"

namespace glgnn::cuda {
namespace {

constexpr int kTile = kBlockRows;  // columns of a tile
constexpr int kFlush =
    256;  // tiles that are summed before the sum is put away: short sums err less
constexpr float kLog2e = 1.44269504f;

struct Job {
  const uint8_t* row_packed;  // the columns too
  const float* unscale;
  const uint8_t* transposed;  // of the 64 features whose gradient is wanted
  const float* lse;           // padded to whole blocks
  const float* d_lse;
  int rows, blocks, slabs, tiles;
  int splits, split_tiles;
  bool diagonal;
  float* sums;  // splits x whole blocks x kSlab
};

template <bool one_slab>
struct Shape {
  static constexpr bool kOneSlab = one_slab;
  static constexpr int kStages = one_slab ? 3 : 2;
  static constexpr int kGroups = 3;
  static constexpr int kWarps = 4 * kGroups;
  static constexpr int kThreads = 32 * kWarps + 128;  // one warpgroup more, which copies
  static constexpr int kRowBlock = kBlockBytes;
};

template <class S>
struct Shared {
  struct Stage {
    uint8_t columns[kBlockBytes];
    uint8_t transposed[kTransposedBytes];
    uint8_t rows[S::kOneSlab ? 0 : S::kGroups * kBlockBytes];
  };
  Stage stages[S::kStages];
  uint8_t rows[S::kOneSlab ? S::kGroups * kBlockBytes : 0];
  float unscale[S::kStages][kTile], lse[S::kStages][kTile], d_lse[S::kStages][kTile];
  Barrier full[S::kStages], empty[S::kStages], rows_full, rows_empty;
};

template <class S>
__device__ void copy_tiles(const Job& job, Shared<S>& shared) {
  constexpr uint32_t kNumbers = kTile * sizeof(float);
  feed<S>(
      job, shared,
      [&](int slab) {
        return kBlockBytes + (slab + 1 == job.slabs ? kTransposedBytes + 3 * kNumbers : 0);
      },
      [&](int s, int tile, int slab) {
        Barrier& full = shared.full[s];
        copy_to_shared(shared.stages[s].columns,
                       job.row_packed + (int64_t{tile} * job.slabs + slab) * kBlockBytes,
                       kBlockBytes, full);
        if (slab + 1 < job.slabs) return;
        const int64_t first = int64_t{tile} * kTile;
        copy_to_shared(shared.stages[s].transposed,
                       job.transposed + int64_t{tile} * kTransposedBytes, kTransposedBytes, full);
        copy_to_shared(shared.unscale[s], job.unscale + first, kNumbers, full);
        copy_to_shared(shared.lse[s], job.lse + first, kNumbers, full);
        copy_to_shared(shared.d_lse[s], job.d_lse + first, kNumbers, full);
      });
}

struct ThreadRows {
  int row[2];
  float unit[2], lse[2], d_lse[2];
};

// The products of this warpgroup's rows with the next tile. The stage of its last slab stays taken.
template <class S>
__device__ void next_tile(float (&u)[32], const Job& job, Shared<S>& shared, Turn<S::kStages>& turn,
                          int group) {
  const auto multiply = [&](float(&to)[32], const uint8_t* rows) {
    multiply_slab(shared_address(rows) + group * kBlockBytes, kPart,
                  shared_address(shared.stages[turn.stage].columns), kPart,
                  [&](uint64_t a, uint64_t b, int add) { product_64x64(to, a, b, add); });
  };
  if constexpr (S::kOneSlab) {
    shared.full[turn.stage].wait(turn.parity);
    multiply(u, shared.rows);
  } else {
#pragma unroll
    for (int e = 0; e < 32; ++e) u[e] = 0;
    for (int slab = 0; slab < job.slabs; ++slab) {
      shared.full[turn.stage].wait(turn.parity);
      float part[32];
      multiply(part, shared.stages[turn.stage].rows);
#pragma unroll
      for (int e = 0; e < 32; ++e) u[e] += part[e];
      if (slab + 1 < job.slabs) {
        __syncwarp();
        if (threadIdx.x % 32 == 0) shared.empty[turn.stage].arrive();
        turn.next();
      }
    }
  }
}

// The weights from the products, in their place.
template <class S>
__device__ void weigh(float (&u)[32], const Job& job, const Shared<S>& shared, int stage,
                      const ThreadRows& mine, int first_column) {
  const int own = 2 * (threadIdx.x % 4);
#pragma unroll
  for (int c = 0; c < 8; ++c) {
    const auto pair = [&](const float* of) {
      return *reinterpret_cast<const float2*>(of + 8 * c + own);
    };
    const float2 unscale = pair(shared.unscale[stage]), lse = pair(shared.lse[stage]);
    const float2 d_lse = pair(shared.d_lse[stage]);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int h = i / 2;
      const float product = u[4 * c + i] * (i % 2 ? unscale.y : unscale.x);
      const float by_row = fmaf(product, mine.unit[h], -mine.lse[h]) * kLog2e;
      const float by_column = fmaf(product, mine.unit[h], i % 2 ? -lse.y : -lse.x) * kLog2e;
      u[4 * c + i] =
          fmaf(i % 2 ? d_lse.y : d_lse.x, exp2_fast(by_column), mine.d_lse[h] * exp2_fast(by_row));
    }
  }
  const int first_row = mine.row[0] - threadIdx.x % 32 / 4;
  const bool on_diagonal =
      !job.diagonal && first_column < first_row + 16 && first_row < first_column + kTile;
  if (on_diagonal || first_column + kTile > job.rows) {
#pragma unroll
    for (int e = 0; e < 32; ++e) {
      const int j = first_column + e / 4 * 8 + own + e % 2;
      if (j >= job.rows || (!job.diagonal && j == mine.row[e / 2 % 2])) u[e] = 0;
    }
  }
}

// out = w Z of the tile. The numbers of w become their leading parts.
__device__ void multiply_weights(float (&out)[32], float (&w)[32], uint32_t transposed) {
  float rest[32];
#pragma unroll
  for (int e = 0; e < 32; ++e) {
    const float leading = tf32(w[e]);
    rest[e] = w[e] - leading;
    w[e] = leading;
  }
  begin_products();
#pragma unroll
  for (int part = 0; part < 3; ++part) {
    const float(&a)[32] = part == 0 ? rest : w;
#pragma unroll
    for (int c = 0; c < 8; ++c) {
      const uint32_t at =
          transposed + (part == 1 ? kTransposedPart : 0) + c / 4 * kPanel + c % 4 * 32;
      product_64x64_tf32(out, a[4 * c], a[4 * c + 2], a[4 * c + 1], a[4 * c + 3],
                         tile_descriptor(at), part + c > 0);
    }
  }
  finish_products();
}

[[maybe_unused]] __device__ void put_away(float (&sum)[32], const Job& job, const ThreadRows& mine,
                                          int split) {
  const int own = 2 * (threadIdx.x % 4);
#pragma unroll
  for (int c = 0; c < 8; ++c) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float& first = sum[4 * c + 2 * h];
      float& second = sum[4 * c + 2 * h + 1];
      if (mine.row[h] < job.rows) {
        const int64_t row = int64_t{split} * job.blocks * kBlockRows + mine.row[h];
        float2* to = reinterpret_cast<float2*>(job.sums + row * kSlab + 8 * c + own);
        *to = make_float2(to->x + first, to->y + second);
      }
      first = second = 0;
    }
  }
}

template <class S>
__device__ void take_items(const Job& job, Shared<S>& shared) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = warp / 4;
  Turn<S::kStages> turn;
  uint32_t rows_parity = 0;
  for (int number = blockIdx.x; number < item_count(job, S::kGroups); number += gridDim.x) {
    const Item item(job, number, S::kGroups);
    ThreadRows mine;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      mine.row[h] = item.first_block * kBlockRows + 16 * warp + lane / 4 + 8 * h;
      const bool inside = mine.row[h] < job.rows;
      mine.unit[h] = inside ? job.unscale[mine.row[h]] : 1.0f;
      mine.lse[h] = inside ? job.lse[mine.row[h]] : 0.0f;
      mine.d_lse[h] = inside ? job.d_lse[mine.row[h]] : 0.0f;
    }
    if constexpr (S::kOneSlab) {
      shared.rows_full.wait(rows_parity);
      rows_parity ^= 1;
    }
    float sum[32];
#pragma unroll
    for (int e = 0; e < 32; ++e) sum[e] = 0;
    for (int tile = item.first_tile; tile < item.last_tile; ++tile) {
      float w[32], out[32];
      next_tile<S>(w, job, shared, turn, group);
      weigh<S>(w, job, shared, turn.stage, mine, tile * kTile);
      multiply_weights(out, w, shared_address(shared.stages[turn.stage].transposed));
      __syncwarp();
      if (lane == 0) shared.empty[turn.stage].arrive();
      turn.next();
#pragma unroll
      for (int e = 0; e < 32; ++e) sum[e] += out[e];
      if ((tile - item.first_tile) % kFlush == kFlush - 1) put_away(sum, job, mine, item.split);
    }
    if constexpr (S::kOneSlab) {
      if (lane == 0) shared.rows_empty.arrive();
    }
    put_away(sum, job, mine, item.split);
  }
}

template <class S>
__global__ void __launch_bounds__(S::kThreads, 1)
    backward_in_tiles(const __grid_constant__ Job job) {
#ifdef GLGNN_HOPPER
  extern __shared__ __align__(1024) uint8_t memory[];
  Shared<S>& shared = *reinterpret_cast<Shared<S>*>(memory);
  if (threadIdx.x == 0) make_barriers<S>(shared);
  __syncthreads();
  if (threadIdx.x < 32 * S::kWarps) {
    take_registers<160>();
    take_items<S>(job, shared);
  } else {
    give_registers_back<24>();
    if (threadIdx.x == 32 * S::kWarps) copy_tiles<S>(job, shared);
  }
#endif
}

// The same by the simplest means (see choose.cu): a warp for each row and split, a lane for each
// column's weight, then for two features. `slab`: those features of all rows.
constexpr int kPlainWarps = 16;

__global__ void backward_plainly(const __grid_constant__ Job job, const float* slab) {
  const int lane = threadIdx.x % 32;
  const int64_t item = int64_t{blockIdx.x} * kPlainWarps + threadIdx.x / 32;
  const int64_t row = item / job.splits, split = item % job.splits;
  if (row >= job.rows) return;
  const int64_t first = split * job.split_tiles * kTile;
  const int64_t last = min(int64_t{job.rows}, first + job.split_tiles * kTile);
  double sums[2] = {0, 0};
  for (int64_t base = first; base < last; base += 32) {
    const int64_t j = base + lane;
    float w = 0;
    if (j < last && (job.diagonal || j != row)) {
      const float s = packed_product(job.row_packed, row, job.row_packed, j, job.slabs) *
                      job.unscale[j] * job.unscale[row];
      w = job.d_lse[row] * expf(s - job.lse[row]) + job.d_lse[j] * expf(s - job.lse[j]);
    }
    float part[2] = {0, 0};
    for (int l = 0; l < 32 && base + l < last; ++l) {
      const float of_column = __shfl_sync(0xffffffffu, w, l);
      const float* const z = slab + (base + l) * kSlab;
      part[0] = fmaf(of_column, z[lane], part[0]);
      part[1] = fmaf(of_column, z[lane + 32], part[1]);
    }
    sums[0] += part[0];
    sums[1] += part[1];
  }
  float* const to = job.sums + (split * job.blocks * kBlockRows + row) * kSlab;
  to[lane] = static_cast<float>(sums[0]);
  to[lane + 32] = static_cast<float>(sums[1]);
}

__device__ float sum_of_splits(const float* sums, int64_t at, int64_t stride, int splits) {
  float sum = 0;
  for (int s = 0; s < splits; ++s) sum += sums[s * stride + at];
  return sum;
}

__global__ void add_to_dense(float* d_z, const float* sums, DeviceRows z, int64_t first,
                             int64_t stride, int splits) {
  const int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int64_t row = at / kSlab, f = first + at % kSlab;
  if (row < z.rows && f < z.cols) d_z[row * z.cols + f] += sum_of_splits(sums, at, stride, splits);
}

__global__ void add_to_sparse(float* d_z, const float* sums, DeviceRows z, int64_t first,
                              int64_t stride, int splits) {
  const int64_t row = int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= z.rows) return;
  for (int64_t e = z.row_ptr[row] + threadIdx.x % 32; e < z.row_ptr[row + 1]; e += 32) {
    const int64_t f = z.col[e] - first;
    if (f >= 0 && f < kSlab) d_z[e] += sum_of_splits(sums, row * kSlab + f, stride, splits);
  }
}

template <class S>
void launch(const Job& job, int grid) {
  static const bool ready = [] {
    check(cudaFuncSetAttribute(backward_in_tiles<S>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               sizeof(Shared<S>)),
          "asking for shared memory");
    return true;
  }();
  static_cast<void>(ready);
  backward_in_tiles<S><<<grid, S::kThreads, sizeof(Shared<S>), stream()>>>(job);
  check(cudaGetLastError(), "starting the gradient of the log-sum-exp");
}

int items_of(int64_t blocks) {
  constexpr int kGroups = Shape<true>::kGroups;
  return static_cast<int>((blocks + kGroups - 1) / kGroups);
}

}  // namespace

int64_t lse_backward_bytes(const DeviceRows& z) {
  const Splits splits(items_of(z.blocks()), static_cast<int>(z.blocks()), 1);
  const int64_t row_bytes = kSlab * int64_t{sizeof(float)};
  return z.blocks() * (kTransposedBytes + kBlockRows * row_bytes * (1 + splits.count) + 512);
}

void lse_backward(float* d_z, const float* d_lse, const DeviceRows& z, const PackedRows& packed,
                  const float* lse, bool diagonal) {
  const int blocks = static_cast<int>(z.blocks()), items = items_of(blocks);
  const Splits splits(items, blocks, 1);
  const int64_t padded = int64_t{blocks} * kBlockRows;
  DeviceArray<float> padded_lse(padded), padded_d_lse(padded), slab(padded * kSlab);
  DeviceArray<float> sums(splits.count * padded * kSlab);
  const DeviceArray<uint8_t> transposed(int64_t{blocks} * kTransposedBytes);
  for (const auto& [to, from] : {std::pair{&padded_lse, lse}, {&padded_d_lse, d_lse}}) {
    to->fill_bytes(0);
    check(cudaMemcpyAsync(to->data(), from, z.rows * sizeof(float), cudaMemcpyDeviceToDevice,
                          stream()),
          "copying on the device");
  }
  const Job job{.row_packed = packed.data.data(),
                .unscale = packed.unscale.data(),
                .transposed = transposed.data(),
                .lse = padded_lse.data(),
                .d_lse = padded_d_lse.data(),
                .rows = static_cast<int>(z.rows),
                .blocks = blocks,
                .slabs = static_cast<int>(packed.slabs),
                .tiles = blocks,
                .splits = splits.count,
                .split_tiles = splits.tiles,
                .diagonal = diagonal,
                .sums = sums.data()};
  const int grid = std::min(items * splits.count, multiprocessors());
  for (int64_t s = 0; s < z.slabs(); ++s) {
    make_slab(slab.data(), z, s);
    pack_transposed(transposed.data(), slab.data(), blocks);
    sums.fill_bytes(0);
    if (has_tiles()) {
      packed.slabs == 1 ? launch<Shape<true>>(job, grid) : launch<Shape<false>>(job, grid);
    } else {
      const int64_t warps = z.rows * splits.count;
      backward_plainly<<<static_cast<int>((warps + kPlainWarps - 1) / kPlainWarps),
                         32 * kPlainWarps, 0, stream()>>>(job, slab.data());
      check(cudaGetLastError(), "starting the gradient of the log-sum-exp");
    }
    if (z.is_sparse()) {
      add_to_sparse<<<static_cast<int>((z.rows + 7) / 8), 256, 0, stream()>>>(
          d_z, sums.data(), z, s * kSlab, padded * kSlab, splits.count);
    } else {
      add_to_dense<<<static_cast<int>(padded * kSlab / 256), 256, 0, stream()>>>(
          d_z, sums.data(), z, s * kSlab, padded * kSlab, splits.count);
    }
    check(cudaGetLastError(), "starting to add the gradient up");
  }
}

}  // namespace glgnn::cuda
