// One pass over all pairs. A warpgroup (four warps) holds 64 rows and streams by all columns, 128
// at a time: the similarities of a tile are three products of halves (leading x leading, leading x
// rest, rest x leading) added up in registers, where each warp has 16 whole rows of them. So rows
// belong to a warp: it sums their exponentials and collects their candidates without waiting for
// others. Four warpgroups and a warp that copies tiles share a multiprocessor; they drift apart, so
// that some multiply while others take exponentials.
//
// A row's candidates are the pairs that beat its floor, the worst of the best k when it last
// counted; when there are `limit` of them the best k are kept and the floor rises. Their room is in
// device memory, which few pairs reach.
#include <algorithm>
#include <cmath>

#include "kernels/cuda/choose.cuh"
#include "kernels/cuda/choose_rows.cuh"
#include "kernels/cuda/hopper.cuh"
#include "kernels/cuda/tiles.cuh"

namespace glgnn::cuda {
namespace {

using namespace choosing;

template <class S>
__device__ void copy_tiles(const Job& job, Shared<S>& shared) {
  constexpr uint32_t kNumbers = kTile * sizeof(float);
  feed<S>(
      job, shared, [](int) { return S::kColumnBytes + (S::kBias ? 2 : 1) * kNumbers; },
      [&](int s, int tile, int slab) {
        Barrier& full = shared.full[s];
        for (int half = 0; half < 2; ++half) {
          const uint8_t* block =
              job.packed + (int64_t{2 * tile + half} * job.slabs + slab) * kBlockBytes;
          uint8_t* to = shared.stages[s].columns + half * kPart;
          copy_to_shared(to, block, kPart, full);
          if (!S::kRough) copy_to_shared(to + kTilePart, block + kPart, kPart, full);
        }
        const int64_t first = int64_t{tile} * kTile;
        copy_to_shared(shared.unscale[s], job.unscale + first, kNumbers, full);
        if constexpr (S::kBias) copy_to_shared(shared.bias[s], job.bias + first, kNumbers, full);
      });
}

// This warp has read what the stage holds.
template <class S>
__device__ void leave_stage(Shared<S>& shared, Turn<S::kStages>& turn) {
  __syncwarp();
  if (threadIdx.x % 32 == 0) shared.empty[turn.stage].arrive();
  turn.next();
}

// The similarities of this warpgroup's rows with the next tile, times unscale of the columns.
template <class S>
__device__ void next_tile(float (&u)[64], const Job& job, Shared<S>& shared, Turn<S::kStages>& turn,
                          int group, const ThreadRows& mine) {
  const int lane = threadIdx.x % 32;
  if constexpr (S::kOneSlab) {
    shared.full[turn.stage].wait(turn.parity);
    multiply_slab(shared_address(shared.rows) + group * kBlockBytes, kPart,
                  shared_address(shared.stages[turn.stage].columns), kTilePart,
                  [&](uint64_t a, uint64_t b, int add) { product_64x128(u, a, b, add); });
  } else if constexpr (S::kRough) {
    for (int slab = 0; slab < job.slabs; ++slab) {
      if (slab > 0) leave_stage<S>(shared, turn);
      shared.full[turn.stage].wait(turn.parity);
      const uint32_t rows = shared_address(shared.stages[turn.stage].rows) + group * kPart;
      const uint32_t columns = shared_address(shared.stages[turn.stage].columns);
      begin_products();
#pragma unroll
      for (int step = 0; step < 4; ++step) {
        product_64x128(u, tile_descriptor(rows + 32 * step), tile_descriptor(columns + 32 * step),
                       slab + step > 0);
      }
      finish_products();
    }
  } else {
#pragma unroll
    for (int e = 0; e < 64; ++e) u[e] = 0;
    for (int slab = 0; slab < job.slabs; ++slab) {
      shared.full[turn.stage].wait(turn.parity);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float part[32];
        multiply_slab(shared_address(shared.stages[turn.stage].rows) + group * kBlockBytes, kPart,
                      shared_address(shared.stages[turn.stage].columns) + half * kPart, kTilePart,
                      [&](uint64_t a, uint64_t b, int add) { product_64x64(part, a, b, add); });
#pragma unroll
        for (int e = 0; e < 32; ++e) u[half * 32 + e] += part[e];
      }
      if (slab + 1 < job.slabs) leave_stage<S>(shared, turn);
    }
  }
#pragma unroll
  for (int c = 0; c < 16; ++c) {
    const float2 unscale =
        *reinterpret_cast<const float2*>(&shared.unscale[turn.stage][8 * c + 2 * (lane % 4)]);
    u[4 * c] *= unscale.x;
    u[4 * c + 1] *= unscale.y;
    u[4 * c + 2] *= unscale.x;
    u[4 * c + 3] *= unscale.y;
    if constexpr (S::kBias) {
      const float2 bias =
          *reinterpret_cast<const float2*>(&shared.bias[turn.stage][8 * c + 2 * (lane % 4)]);
      u[4 * c] = fmaf(u[4 * c], mine.unit[0], -bias.x);
      u[4 * c + 1] = fmaf(u[4 * c + 1], mine.unit[0], -bias.y);
      u[4 * c + 2] = fmaf(u[4 * c + 2], mine.unit[1], -bias.x);
      u[4 * c + 3] = fmaf(u[4 * c + 3], mine.unit[1], -bias.y);
    }
  }
  leave_stage<S>(shared, turn);
}

template <class S>
__device__ void take_items(const Job& job, Shared<S>& shared) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = warp / 4;
  Turn<S::kStages> turn;
  uint32_t rows_parity = 0;
  for (int number = blockIdx.x; number < item_count(job, S::kGroups); number += gridDim.x) {
    const Item item(job, number, S::kGroups);
    const int first = 16 * warp;
    const Warp<S> rows{job, shared, first, item.first_block * kBlockRows + first,
                       job.room + (int64_t{blockIdx.x} * S::kRows + first) * job.capacity};
    if (lane < 16) {
      shared.held[first + lane] = shared.seen[first + lane] = 0;
      shared.floor[first + lane] = 0;
    }
    __syncwarp();
    if (job.near.row_ptr && item.split == 0 && job.k > 0) rows.add_near();
    ThreadRows mine;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      mine.row[h] = rows.first_row + lane / 4 + 8 * h;
      mine.unit[h] = mine.row[h] < job.rows ? job.row_unscale[mine.row[h]] : 1.0f;
      mine.top[h] = kNoTop;
      mine.sum[h] = 0;
    }
    rows.refresh(mine, item.first_tile * kTile);
    if constexpr (S::kOneSlab) {
      shared.rows_full.wait(rows_parity);
      rows_parity ^= 1;
    }
    for (int tile = item.first_tile; tile < item.last_tile; ++tile) {
      float u[64];
      next_tile<S>(u, job, shared, turn, group, mine);
      rows.take_tile(u, mine, tile * kTile);
    }
    if constexpr (S::kOneSlab) {
      if (lane == 0) shared.rows_empty.arrive();
    }
    rows.finish(mine, item.split);
  }
}

template <class S>
__global__ void __launch_bounds__(S::kThreads, 1) choose_in_tiles(const __grid_constant__ Job job) {
#ifdef GLGNN_HOPPER
  extern __shared__ __align__(1024) uint8_t memory[];
  Shared<S>& shared = *reinterpret_cast<Shared<S>*>(memory);
  if (threadIdx.x == 0) make_barriers<S>(shared);
  __syncthreads();
  if (threadIdx.x < 32 * S::kWarps) {
    take_registers<S::kRegisters>();
    take_items<S>(job, shared);
  } else {
    give_registers_back<24>();
    if (threadIdx.x == 32 * S::kWarps) copy_tiles<S>(job, shared);
  }
#endif
}

// The same by the simplest means, for devices without those instructions, and the oracle of the
// tiles: a warp for each row and split, a lane for each column.
constexpr int kPlainWarps = 16;

__device__ bool is_near(const NearScores& near, int row, int column) {
  const int64_t end = near.row_ptr[row + 1];
  const int64_t place = first_not_below(near.col, near.row_ptr[row], end, column);
  return place < end && near.col[place] == column;
}

// The candidates of a row, of which the best k stay when they are too many.
struct PlainRow {
  const Job& job;
  uint64_t* keys;
  int held = 0;
  uint64_t floor = 0;

  __device__ void offer(bool good, float score, int column) {
    const uint64_t key = good ? pair_key(score, column) : 0;
    const unsigned better = __ballot_sync(kAllLanes, good && key > floor);
    const int lane = threadIdx.x % 32;
    if (better >> lane & 1) keys[held + __popc(better & ((1u << lane) - 1))] = key;
    __syncwarp();
    held += __popc(better);
    cut(job.limit);
  }
  __device__ void cut(int most) {
    if (held <= most || held <= job.k) return;
    floor = keep_largest(keys, held, job.k);
    held = job.k;
  }
};

__global__ void choose_plainly(const __grid_constant__ Job job) {
  const int lane = threadIdx.x % 32, self = blockIdx.x * kPlainWarps + threadIdx.x / 32;
  for (int64_t item = self; item < int64_t{job.rows} * job.splits;
       item += gridDim.x * kPlainWarps) {
    const int row = static_cast<int>(item / job.splits),
              split = static_cast<int>(item % job.splits);
    const int first = split * job.split_tiles * kTile;
    const int last = min(job.columns, first + job.split_tiles * kTile);
    PlainRow best{job, job.room + int64_t{self} * job.capacity};
    if (job.near.row_ptr && split == 0 && job.k > 0) {
      const int64_t end = job.near.row_ptr[row + 1];
      for (int64_t e = job.near.row_ptr[row]; e < end; e += 32) {
        const float score = e + lane < end ? job.near.score[e + lane] : -INFINITY;
        best.offer(score > -INFINITY, score, e + lane < end ? job.near.col[e + lane] : 0);
      }
    }
    float top = kNoTop;  // the sum is of e^(S - top)
    double sum = 0;
    for (int j = first + lane; j - lane < last; j += 32) {
      const bool inside = j < last && (job.diagonal || j != job.first_row + row);
      float score = -INFINITY;
      if (inside) {
        score = packed_product(job.row_packed, row, job.packed, j, job.slabs) * job.unscale[j] *
                job.row_unscale[row];
        if (job.bias) score -= job.bias[j];
        if (job.top) {
          if (score > top) sum *= expf(top - score), top = score;
          sum += expf(score - top);
        }
      }
      bool good = inside && job.k > 0 && (!job.positive_only || score > 0) &&
                  !(job.near.row_ptr && is_near(job.near, row, j));
      if (good && job.hops.marks) {
        const int level = job.hops.level(row, j);
        if (level < job.hops.levels) score += job.hops.gain[level];
      }
      best.offer(good, score, j);
    }
    if (job.k > 0) best.cut(job.k);
    for (int e = lane; e < best.held; e += 32) job.best[item * job.k + e] = best.keys[e];
    if (lane == 0) job.held[item] = best.held;
    if (!job.top) continue;
    float highest = top;
    for (int step = 16; step > 0; step /= 2) {
      highest = fmaxf(highest, __shfl_xor_sync(kAllLanes, highest, step));
    }
    sum *= expf(top - highest);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
    if (lane > 0) continue;
    // As powers of 2, which finish_rows() reads: what rounding takes off the top goes to the sum.
    const double exact = double{highest} * kLog2e;
    job.top[item] = static_cast<float>(exact);
    job.sum[item] = sum > 0 ? sum * exp2(exact - job.top[item]) : 0;
  }
}

// A warp for each row: the best k of what its splits have found, by column; their sums together.
__global__ void finish_rows(int32_t* col, int64_t* count, float* lse,
                            const __grid_constant__ Job job) {
  const int lane = threadIdx.x % 32;
  const int64_t row = int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= job.rows) return;
  uint64_t* keys = job.best + row * job.splits * job.k;
  int held = job.held[row * job.splits];
  for (int s = 1; s < job.splits; ++s) {
    const int more = job.held[row * job.splits + s];
    for (int e = 0; e < more; e += 32) {  // only to the front
      const uint64_t key = e + lane < more ? keys[s * job.k + e + lane] : 0;
      __syncwarp();
      if (e + lane < more) keys[held + e + lane] = key;
      __syncwarp();
    }
    held += more;
  }
  if (held > job.k) {
    if (job.k > 0) keep_largest(keys, held, job.k);
    held = job.k;
  }
  for (int e = lane; e < held; e += 32) {
    const uint32_t key = static_cast<uint32_t>(keys[e]);
    int rank = 0;
    for (int other = 0; other < held; ++other) rank += static_cast<uint32_t>(keys[other]) > key;
    col[row * job.k + rank] = key_column(keys[e]);
  }
  if (lane != 0) return;
  count[row] = held;
  if (!lse) return;
  const float* top = job.top + row * job.splits;
  double highest = top[0], sum = 0;
  for (int s = 1; s < job.splits; ++s) highest = fmax(highest, static_cast<double>(top[s]));
  for (int s = 0; s < job.splits; ++s)
    sum += job.sum[row * job.splits + s] * exp2(top[s] - highest);
  lse[row] = static_cast<float>((highest + log2(sum)) / static_cast<double>(kLog2e));
}

template <class S>
void launch(const Job& job, int grid) {
  [[maybe_unused]] static const bool ready = [] {
    check(cudaFuncSetAttribute(choose_in_tiles<S>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               sizeof(Shared<S>)),
          "asking for shared memory");
    return true;
  }();
  choose_in_tiles<S><<<grid, S::kThreads, sizeof(Shared<S>), stream()>>>(job);
  check(cudaGetLastError(), "starting to choose neighbours");
}

struct Plan {
  int groups;
  Splits splits;
  int grid, limit, capacity;
};

Plan make_plan(int64_t row_blocks, int64_t blocks, int64_t slabs, int k, bool rough) {
  const int groups = slabs == 1 || rough ? 4 : 3;
  const int items = static_cast<int>((row_blocks + groups - 1) / groups);
  constexpr int kStart = 12;  // a split's first tiles have many candidates
  const Splits splits(items, static_cast<int>(blocks / 2), kStart);
  const int limit = k + std::max(k, 44);
  return {groups, splits, std::min(items * splits.count, multiprocessors()), limit, limit + kTile};
}

}  // namespace

int64_t choose_bytes(const DeviceRows& z, const ChooseRule& rule) {
  const Plan plan = make_plan(z.blocks(), z.blocks(), z.slabs(), rule.k, rule.rough);
  return int64_t{plan.grid} * plan.groups * kBlockRows * plan.capacity * 8 +
         z.rows * plan.splits.count * (int64_t{rule.k} * 8 + 16);
}

ChooseRoom::ChooseRoom(std::initializer_list<int64_t> rows, const PackedRows& z, int k,
                       bool wants_lse, bool rough) {
  int64_t slots = 0, parts = 0;
  for (const int64_t count : rows) {
    const Plan plan = make_plan((count + kBlockRows - 1) / kBlockRows, z.blocks, z.slabs, k, rough);
    slots = std::max(slots, int64_t{plan.grid} * plan.groups * kBlockRows * plan.capacity);
    parts = std::max(parts, count * plan.splits.count);
  }
  candidates = DeviceArray<uint64_t>(slots);
  best = DeviceArray<uint64_t>(parts * k);
  held = DeviceArray<int>(parts);
  top = DeviceArray<float>(wants_lse ? parts : 0);
  sum = DeviceArray<double>(wants_lse ? parts : 0);
}

void choose(int32_t* col, int64_t* count, float* lse, const Choosing& who, const PackedRows& z,
            const ChooseRule& rule, const ChooseRoom& room) {
  const int64_t rows = who.count, row_blocks = (rows + kBlockRows - 1) / kBlockRows;
  const Plan plan = make_plan(row_blocks, z.blocks, z.slabs, rule.k, rule.rough);
  const Job job{
      .packed = z.data.data(),
      .unscale = z.unscale.data(),
      .row_packed = who.rows.data.data() + who.first / kBlockRows * who.rows.slabs * kBlockBytes,
      .row_unscale = who.rows.unscale.data() + who.first,
      .bias = rule.column_bias,
      .rows = static_cast<int>(rows),
      .blocks = static_cast<int>(row_blocks),
      .first_row = static_cast<int>(who.first),
      .columns = static_cast<int>(z.rows),
      .tiles = static_cast<int>(z.blocks / 2),
      .slabs = static_cast<int>(z.slabs),
      .splits = plan.splits.count,
      .split_tiles = plan.splits.tiles,
      .k = rule.k,
      .limit = plan.limit,
      .capacity = plan.capacity,
      .diagonal = rule.diagonal,
      .positive_only = rule.positive_only,
      .near = rule.near,
      .hops = rule.hops,
      .room = room.candidates.data(),
      .best = room.best.data(),
      .held = room.held.data(),
      .top = room.top.data(),
      .sum = room.sum.data()};
  const auto start = [&]<bool one_slab>() {
    if (rule.column_bias) return launch<Shape<false, true, one_slab, false>>(job, plan.grid);
    if (rule.hops.marks) {
      lse ? launch<Shape<true, false, one_slab, true>>(job, plan.grid)
          : launch<Shape<false, false, one_slab, true>>(job, plan.grid);
    } else {
      lse ? launch<Shape<true, false, one_slab, false>>(job, plan.grid)
          : launch<Shape<false, false, one_slab, false>>(job, plan.grid);
    }
  };
  if (!has_tiles()) {
    choose_plainly<<<plan.grid, 32 * kPlainWarps, 0, stream()>>>(job);
    check(cudaGetLastError(), "starting to choose neighbours");
  } else if (rule.rough) {
    launch<Shape<false, false, false, false, true>>(job, plan.grid);
  } else {
    z.slabs == 1 ? start.operator()<true>() : start.operator()<false>();
  }
  constexpr int kWarps = 8;
  finish_rows<<<static_cast<int>((rows + kWarps - 1) / kWarps), 32 * kWarps, 0, stream()>>>(
      col, count, lse, job);
  check(cudaGetLastError(), "starting to order the neighbours");
}

}  // namespace glgnn::cuda
