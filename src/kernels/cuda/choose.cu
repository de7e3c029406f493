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
#include <cfloat>
#include <cmath>

#include "kernels/cuda/best_pairs.cuh"
#include "kernels/cuda/choose.cuh"
#include "kernels/cuda/hopper.cuh"
#include "kernels/cuda/multiprocessors.cuh"

namespace glgnn::cuda {
namespace {

constexpr int kTile = 128;                 // columns of a tile
constexpr int kTilePart = kTile * 128;     // bytes of its leading halves
constexpr int kTileBytes = 2 * kTilePart;  // and of the rest
constexpr float kLog2e = 1.44269504f;
constexpr float kSlack = 40;  // exponentials may grow to 2^kSlack before the sum is scaled anew
constexpr float kNoTop = -1e30f;

struct Job {
  const uint8_t* packed;
  const float* unscale;
  const float* bias;
  int rows, blocks, slabs, tiles;
  int splits, split_tiles;  // the columns are cut into splits of so many tiles
  int k, limit, capacity;
  bool diagonal, positive_only;
  NearScores near;
  uint64_t* room;  // candidates: for each block of threads, its rows x capacity
  uint64_t* best;  // rows x splits x k
  int* held;       // rows x splits: how many of them
  float* top;      // rows x splits: what the exponents of `sum` lack
  double* sum;     // rows x splits
};

// What a kernel is made for.
template <bool lse, bool bias, bool one_slab>
struct Shape {
  static constexpr bool kLse = lse, kBias = bias, kOneSlab = one_slab;
  // More slabs need registers to add them up outside of the matrix unit, which cuts sums off
  // instead of rounding them.
  static constexpr int kGroups = one_slab ? 4 : 3;
  static constexpr int kRows = kGroups * kBlockRows;
  static constexpr int kWarps = 4 * kGroups;
  static constexpr int kThreads = 32 * kWarps + 128;  // one warpgroup more, which copies
  static constexpr int kRegisters = one_slab ? 112 : 160;
  static constexpr int kStages = one_slab ? 4 : 2;
  static constexpr int kRowBytes = kGroups * kBlockBytes;  // one slab of the rows
};

template <class S>
struct Shared {
  struct Stage {
    uint8_t columns[kTileBytes];
    uint8_t rows[S::kOneSlab ? 0 : S::kRowBytes];
  };
  Stage stages[S::kStages];
  uint8_t rows[S::kOneSlab ? S::kRowBytes : 0];
  float unscale[S::kStages][kTile];
  float bias[S::kBias ? S::kStages : 0][kTile];
  Barrier full[S::kStages], empty[S::kStages], rows_full, rows_empty;
  int held[S::kRows], seen[S::kRows];  // candidates of a row; those that near pairs were taken from
  uint64_t floor[S::kRows];            // key of the worst of the best k; 0: none yet
};

struct Item {
  int first_block;  // of the rows
  int split;
  int first_tile, last_tile;  // of the columns
  __device__ Item(const Job& job, int number, int groups)
      : first_block(number / job.splits * groups),
        split(number % job.splits),
        first_tile(split * job.split_tiles),
        last_tile(min(job.tiles, first_tile + job.split_tiles)) {}
};

__device__ int item_count(const Job& job, int groups) {
  return (job.blocks + groups - 1) / groups * job.splits;
}

// One thread: copies what the warpgroups will need, as stages get free.
template <class S>
__device__ void feed(const Job& job, Shared<S>& shared) {
  Turn<S::kStages> turn;
  uint32_t rows_parity = 0;
  for (int number = blockIdx.x; number < item_count(job, S::kGroups); number += gridDim.x) {
    const Item item(job, number, S::kGroups);
    const int groups = min(S::kGroups, job.blocks - item.first_block);
    const uint8_t* rows = job.packed + int64_t{item.first_block} * job.slabs * kBlockBytes;
    if constexpr (S::kOneSlab) {
      shared.rows_empty.wait(rows_parity ^ 1);
      rows_parity ^= 1;
      shared.rows_full.arrive_and_expect(groups * kBlockBytes);
      copy_to_shared(shared.rows, rows, groups * kBlockBytes, shared.rows_full);
    }
    for (int tile = item.first_tile; tile < item.last_tile; ++tile) {
      for (int slab = 0; slab < job.slabs; ++slab) {
        const int s = turn.stage;
        Barrier& full = shared.full[s];
        shared.empty[s].wait(turn.parity ^ 1);
        full.arrive_and_expect(kTileBytes + (S::kBias ? 2 : 1) * kTile * sizeof(float) +
                               (S::kOneSlab ? 0 : groups * kBlockBytes));
        for (int half = 0; half < 2; ++half) {
          const uint8_t* block =
              job.packed + (int64_t{2 * tile + half} * job.slabs + slab) * kBlockBytes;
          uint8_t* to = shared.stages[s].columns + half * kPart;
          copy_to_shared(to, block, kPart, full);
          copy_to_shared(to + kTilePart, block + kPart, kPart, full);
        }
        copy_to_shared(shared.unscale[s], job.unscale + int64_t{tile} * kTile,
                       kTile * sizeof(float), full);
        if constexpr (S::kBias) {
          copy_to_shared(shared.bias[s], job.bias + int64_t{tile} * kTile, kTile * sizeof(float),
                         full);
        }
        if constexpr (!S::kOneSlab) {
          for (int g = 0; g < groups; ++g) {
            copy_to_shared(shared.stages[s].rows + g * kBlockBytes,
                           rows + (int64_t{g} * job.slabs + slab) * kBlockBytes, kBlockBytes, full);
          }
        }
        turn.next();
      }
    }
  }
}

// The two rows of a thread and what is kept of them while columns stream by.
struct ThreadRows {
  int row[2];      // numbers of the rows
  float unit[2];   // S = u unit
  float quick[2];  // what u must exceed to be a candidate
  float top[2];    // the sum is of 2^(S log2e - top)
  double sum[2];
};

template <class S>
struct Warp {
  const Job& job;
  Shared<S>& shared;
  int first;       // of the warp's rows within those of the block of threads
  int first_row;   // its number
  uint64_t* room;  // of the warp's first row

  __device__ int rows_inside() const { return min(16, job.rows - first_row); }

  // Floors as the threads compare with them, for columns from next_column on.
  __device__ void refresh(ThreadRows& mine, int next_column) const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int r = lane / 4 + 8 * h;
      if (mine.row[h] >= job.rows || job.k == 0) {
        mine.quick[h] = INFINITY;
        continue;
      }
      const uint64_t key = shared.floor[first + r];
      float floor = key == 0 ? -FLT_MAX : key_score(key);
      // Ties with a later column are won: then what equals the floor counts too.
      if (key != 0 && key_column(key) >= next_column) floor = nextafterf(floor, -INFINITY);
      if (job.positive_only) floor = fmaxf(floor, 0.0f);
      mine.quick[h] = S::kBias ? floor : floor / mine.unit[h];
    }
  }

  // Keeps the best k of each row that has more than `most` candidates; whether there was one.
  __device__ bool cut(int most) const {
    const int lane = threadIdx.x % 32;
    const int held = lane < 16 ? shared.held[first + lane] : 0;
    const unsigned full = __ballot_sync(kAllLanes, held > most);
    for (unsigned left = full; left != 0; left &= left - 1) {
      const int r = __ffs(left) - 1;
      const int had = __shfl_sync(kAllLanes, held, r);
      const uint64_t floor = keep_largest(room + int64_t{r} * job.capacity, had, job.k);
      if (lane == 0) {
        shared.floor[first + r] = floor;
        shared.held[first + r] = shared.seen[first + r] = job.k;
      }
    }
    __syncwarp();
    return full != 0;
  }

  // The near pairs come first, and only from here: their scores are not their similarities.
  __device__ void add_near() const {
    const int lane = threadIdx.x % 32;
    for (int r = 0; r < rows_inside(); ++r) {
      const int64_t end = job.near.row_ptr[first_row + r + 1];
      for (int64_t e = job.near.row_ptr[first_row + r]; e < end; e += 32) {
        const float score = e + lane < end ? job.near.score[e + lane] : -INFINITY;
        const unsigned good = __ballot_sync(kAllLanes, score > -INFINITY);
        const int held = shared.held[first + r];
        if (score > -INFINITY) {
          room[int64_t{r} * job.capacity + held + __popc(good & ((1u << lane) - 1))] =
              pair_key(score, job.near.col[e + lane]);
        }
        __syncwarp();
        if (lane == 0) shared.held[first + r] = shared.seen[first + r] = held + __popc(good);
        __syncwarp();
        cut(job.limit);
      }
    }
  }

  __device__ bool is_near(int row, int column) const {
    int64_t low = job.near.row_ptr[row], high = job.near.row_ptr[row + 1];
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (job.near.col[middle] < column) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < job.near.row_ptr[row + 1] && job.near.col[low] == column;
  }

  // Takes near pairs out of what a tile has added.
  __device__ void drop_near() const {
    const int lane = threadIdx.x % 32;
    for (int r = 0; r < rows_inside(); ++r) {
      const int seen = shared.seen[first + r], held = shared.held[first + r];
      if (held == seen) continue;
      const int end = keep_where(room + int64_t{r} * job.capacity, seen, held, [&](uint64_t key) {
        return !is_near(first_row + r, key_column(key));
      });
      if (lane == 0) shared.held[first + r] = shared.seen[first + r] = end;
    }
    __syncwarp();
  }

  __device__ void offer(int r, float score, int column) const {
    const int at = atomicAdd(&shared.held[first + r], 1);
    room[int64_t{r} * job.capacity + at] = pair_key(score, column);
  }

  // u: the tile's products times unscale of their columns (with a bias: the scores), this thread's
  // part; columns from first_column on.
  __device__ void take_tile(float (&u)[64], ThreadRows& mine, int first_column) const {
    const int lane = threadIdx.x % 32;
    const int column = first_column + 2 * (lane % 4);
    const bool on_diagonal =
        !job.diagonal && first_column < first_row + 16 && first_row < first_column + kTile;
    if (on_diagonal || first_column + kTile > job.rows) {
#pragma unroll
      for (int e = 0; e < 64; ++e) {
        const int j = column + e / 4 * 8 + e % 2;
        if (j >= job.rows || (!job.diagonal && j == mine.row[e / 2 % 2])) u[e] = -INFINITY;
      }
    }
    // The largest of each quarter of the two rows: most quarters have no candidate.
    float quarter[4][2], most[2];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        quarter[q][h] = u[16 * q + 2 * h];
#pragma unroll
        for (int e = 1; e < 8; ++e) {
          quarter[q][h] = fmaxf(quarter[q][h], u[16 * q + 4 * (e / 2) + 2 * h + e % 2]);
        }
        most[h] = q == 0 ? quarter[q][h] : fmaxf(most[h], quarter[q][h]);
      }
    }
    if constexpr (S::kLse) add_exponentials(u, mine, most);
    const bool good = most[0] > mine.quick[0] || most[1] > mine.quick[1];
    if (!__any_sync(kAllLanes, good)) return;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        if (quarter[q][h] > mine.quick[h]) {
#pragma unroll
          for (int e = 0; e < 8; ++e) {
            const int at = 16 * q + 4 * (e / 2) + 2 * h + e % 2;
            if (u[at] > mine.quick[h]) {
              offer(lane / 4 + 8 * h, S::kBias ? u[at] : u[at] * mine.unit[h],
                    column + at / 4 * 8 + at % 2);
            }
          }
        }
      }
    }
    __syncwarp();
    if (job.near.row_ptr) drop_near();
    if (cut(job.limit)) refresh(mine, first_column + kTile);
  }

  __device__ void add_exponentials(const float (&u)[64], ThreadRows& mine,
                                   const float (&most)[2]) const {
    const float unit[2] = {mine.unit[0] * kLog2e, mine.unit[1] * kLog2e};
    const bool rises =
        most[0] * unit[0] > mine.top[0] + kSlack || most[1] * unit[1] > mine.top[1] + kSlack;
    if (__any_sync(kAllLanes, rises)) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float top = most[h] * unit[h];  // of the four threads that share the row
        top = fmaxf(top, __shfl_xor_sync(kAllLanes, top, 1));
        top = fmaxf(top, __shfl_xor_sync(kAllLanes, top, 2));
        if (top > mine.top[h] + kSlack) {
          mine.sum[h] *= exp2_fast(mine.top[h] - top);
          mine.top[h] = top;
        }
      }
    }
    float sum[2][2] = {{0, 0}, {0, 0}};
#pragma unroll
    for (int e = 0; e < 64; ++e) {
      const int h = e / 2 % 2;
      sum[h][e % 2] += exp2_fast(fmaf(u[e], unit[h], -mine.top[h]));
    }
    mine.sum[0] += sum[0][0] + sum[0][1];
    mine.sum[1] += sum[1][0] + sum[1][1];
  }

  // Writes what this split has found of the warp's rows.
  __device__ void finish(const ThreadRows& mine, int split) const {
    const int lane = threadIdx.x % 32;
    if (job.k > 0) cut(job.k);
    for (int r = 0; r < rows_inside(); ++r) {
      const int64_t at = int64_t{first_row + r} * job.splits + split;
      const int held = shared.held[first + r];
      for (int e = lane; e < held; e += 32) {
        job.best[at * job.k + e] = room[int64_t{r} * job.capacity + e];
      }
      if (lane == 0) job.held[at] = held;
    }
    if constexpr (S::kLse) {
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        double sum = mine.sum[h];
        sum += __shfl_xor_sync(kAllLanes, sum, 1);
        sum += __shfl_xor_sync(kAllLanes, sum, 2);
        if (lane % 4 == 0 && mine.row[h] < job.rows) {
          job.top[int64_t{mine.row[h]} * job.splits + split] = mine.top[h];
          job.sum[int64_t{mine.row[h]} * job.splits + split] = sum;
        }
      }
    }
    __syncwarp();
  }
};

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
      if (slab + 1 < job.slabs) {
        __syncwarp();
        if (lane == 0) shared.empty[turn.stage].arrive();
        turn.next();
      }
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
  __syncwarp();
  if (lane == 0) shared.empty[turn.stage].arrive();
  turn.next();
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
      mine.unit[h] = mine.row[h] < job.rows ? job.unscale[mine.row[h]] : 1.0f;
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
  extern __shared__ __align__(1024) uint8_t memory[];
  Shared<S>& shared = *reinterpret_cast<Shared<S>*>(memory);
  if (threadIdx.x == 0) {
    for (int s = 0; s < S::kStages; ++s) {
      shared.full[s].init(1);
      shared.empty[s].init(S::kWarps);
    }
    shared.rows_full.init(1);
    shared.rows_empty.init(S::kWarps);
    publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x < 32 * S::kWarps) {
    take_registers<S::kRegisters>();
    take_items<S>(job, shared);
  } else {
    give_registers_back<24>();
    if (threadIdx.x == 32 * S::kWarps) feed<S>(job, shared);
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
  static const bool ready = [] {
    check(cudaFuncSetAttribute(choose_in_tiles<S>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               sizeof(Shared<S>)),
          "asking for shared memory");
    return true;
  }();
  static_cast<void>(ready);
  choose_in_tiles<S><<<grid, S::kThreads, sizeof(Shared<S>), stream()>>>(job);
  check(cudaGetLastError(), "starting to choose neighbours");
}

struct Plan {
  int groups;
  Splits splits;
  int grid, limit, capacity;
};

Plan make_plan(int64_t blocks, int64_t slabs, int k) {
  const int groups = slabs == 1 ? 4 : 3;
  const int items = static_cast<int>((blocks + groups - 1) / groups);
  constexpr int kStart = 12;  // a split's first tiles have many candidates
  const Splits splits(items, static_cast<int>(blocks / 2), kStart);
  const int limit = k + std::max(k, 44);
  return {groups, splits, std::min(items * splits.count, multiprocessors()), limit, limit + kTile};
}

}  // namespace

int64_t choose_bytes(const DeviceRows& z, const ChooseRule& rule) {
  const Plan plan = make_plan(z.blocks(), z.slabs(), rule.k);
  return int64_t{plan.grid} * plan.groups * kBlockRows * plan.capacity * 8 +
         z.rows * plan.splits.count * (int64_t{rule.k} * 8 + 16);
}

void choose(int32_t* col, int64_t* count, float* lse, const PackedRows& z, const ChooseRule& rule) {
  const Plan plan = make_plan(z.blocks, z.slabs, rule.k);
  const DeviceArray<uint64_t> room(int64_t{plan.grid} * plan.groups * kBlockRows * plan.capacity);
  const DeviceArray<uint64_t> best(z.rows * plan.splits.count * rule.k);
  const DeviceArray<int> held(z.rows * plan.splits.count);
  const DeviceArray<float> top(lse ? z.rows * plan.splits.count : 0);
  const DeviceArray<double> sum(lse ? z.rows * plan.splits.count : 0);
  const Job job{.packed = z.data.data(),
                .unscale = z.unscale.data(),
                .bias = rule.column_bias,
                .rows = static_cast<int>(z.rows),
                .blocks = static_cast<int>(z.blocks),
                .slabs = static_cast<int>(z.slabs),
                .tiles = static_cast<int>(z.blocks / 2),
                .splits = plan.splits.count,
                .split_tiles = plan.splits.tiles,
                .k = rule.k,
                .limit = plan.limit,
                .capacity = plan.capacity,
                .diagonal = rule.diagonal,
                .positive_only = rule.positive_only,
                .near = rule.near,
                .room = room.data(),
                .best = best.data(),
                .held = held.data(),
                .top = top.data(),
                .sum = sum.data()};
  const bool one = z.slabs == 1;
  if (rule.column_bias) {
    one ? launch<Shape<false, true, true>>(job, plan.grid)
        : launch<Shape<false, true, false>>(job, plan.grid);
  } else if (lse) {
    one ? launch<Shape<true, false, true>>(job, plan.grid)
        : launch<Shape<true, false, false>>(job, plan.grid);
  } else {
    one ? launch<Shape<false, false, true>>(job, plan.grid)
        : launch<Shape<false, false, false>>(job, plan.grid);
  }
  constexpr int kWarps = 8;
  finish_rows<<<static_cast<int>((z.rows + kWarps - 1) / kWarps), 32 * kWarps, 0, stream()>>>(
      col, count, lse, job);
  check(cudaGetLastError(), "starting to order the neighbours");
}

}  // namespace glgnn::cuda
