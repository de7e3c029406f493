// What the parts of choosing share: the best pairs of a row among its candidates, by one warp; the
// task, the kinds of kernel, shared memory; and what a warp keeps of its 16 rows while columns
// stream by: sums of exponentials, candidates, floors.
#pragma once

#include <cfloat>
#include <cstdint>

#include "kernels/cuda/choose.cuh"
#include "kernels/cuda/hopper.cuh"

namespace glgnn::cuda {

// A pair is a key of 64 bits: its score as a whole number that sorts like it, then its column so
// that the smaller one is the larger key. No two keys of a row are equal, so that the best k do not
// depend on the order in which they came.

inline constexpr unsigned kAllLanes = 0xffffffffu;

__device__ inline uint64_t pair_key(float score, int column) {
  const uint32_t bits = __float_as_uint(score + 0.0f);  // -0 becomes 0
  const uint32_t sorted = bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
  return uint64_t{sorted} << 32 | (0xffffffffu - static_cast<uint32_t>(column));
}

__device__ inline float key_score(uint64_t key) {
  const uint32_t sorted = static_cast<uint32_t>(key >> 32);
  return __uint_as_float(sorted ^ (sorted >> 31 ? 0x80000000u : 0xffffffffu));
}

__device__ inline int key_column(uint64_t key) {
  return static_cast<int>(0xffffffffu - static_cast<uint32_t>(key));
}

__device__ inline uint64_t warp_min(uint64_t value) {
  for (int step = 16; step > 0; step /= 2) {
    const uint64_t other = __shfl_xor_sync(kAllLanes, value, step);
    value = other < value ? other : value;
  }
  return value;
}

__device__ inline uint64_t warp_or(uint64_t value) {
  for (int step = 16; step > 0; step /= 2) value |= __shfl_xor_sync(kAllLanes, value, step);
  return value;
}

// Moves the keys of keys[from .. held) for which `keep` holds to the front of that range; returns
// the new end. All lanes of the warp.
template <class Keep>
__device__ inline int keep_where(uint64_t* keys, int from, int held, Keep&& keep) {
  const int lane = threadIdx.x % 32;
  int end = from;
  for (int first = from; first < held; first += 32) {
    const bool inside = first + lane < held;
    const uint64_t key = inside ? keys[first + lane] : 0;
    const bool stays = inside && keep(key);
    const unsigned mask = __ballot_sync(kAllLanes, stays);
    if (stays) keys[end + __popc(mask & ((1u << lane) - 1))] = key;
    end += __popc(mask);
    __syncwarp();
  }
  return end;
}

// Keeps the k largest of `held` keys, held > k > 0, in any order; returns the smallest of them.
__device__ inline uint64_t keep_largest(uint64_t* keys, int held, int k) {
  const int lane = threadIdx.x % 32;
  uint64_t any = 0, none = 0;
  for (int e = lane; e < held; e += 32) {
    any |= keys[e];
    none |= ~keys[e];
  }
  any = warp_or(any);
  none = warp_or(none);
  // Bit by bit from the first in which keys differ: the largest bound that k keys reach.
  const uint64_t differing = any & none;
  uint64_t bound = any & ~none;
  for (int bit = 63 - __clzll(static_cast<long long>(differing)); bit >= 0; --bit) {
    const uint64_t higher = (bound >> bit | 1) << bit;
    int reached = 0;
    for (int e = lane; e < held; e += 32) reached += keys[e] >= higher;
    reached = __reduce_add_sync(kAllLanes, reached);
    if (reached >= k) bound = higher;
    if (reached == k) break;
  }
  uint64_t least = ~uint64_t{0};
  keep_where(keys, 0, held, [&](uint64_t key) {
    if (key >= bound && key < least) least = key;
    return key >= bound;
  });
  return warp_min(least);
}

namespace choosing {

inline constexpr int kTile = 128;                 // columns of a tile
inline constexpr int kTilePart = kTile * 128;     // bytes of its leading halves
inline constexpr int kTileBytes = 2 * kTilePart;  // and of the rest
inline constexpr float kLog2e = 1.44269504f;
inline constexpr float kSlack =
    40;  // exponentials may grow to 2^kSlack before the sum is scaled anew
inline constexpr float kNoTop = -1e30f;

struct Job {
  const uint8_t* packed;      // the columns
  const float* unscale;       // of them
  const uint8_t* row_packed;  // the rows that choose
  const float* row_unscale;
  const float* bias;
  int rows, blocks;    // that choose
  int first_row;       // the number of the first of them among the columns
  int columns, tiles;  // and slabs of both
  int slabs;
  int splits, split_tiles;  // the columns are cut into splits of so many tiles
  int k, limit, capacity;
  bool diagonal, positive_only;
  NearScores near;
  HopMarks hops;
  uint64_t* room;  // candidates: for each block of threads, its rows x capacity
  uint64_t* best;  // rows x splits x k
  int* held;       // rows x splits: how many of them
  float* top;      // rows x splits: what the exponents of `sum` lack
  double* sum;     // rows x splits
};

// What a kernel is made for. A rough one, of several slabs, multiplies the leading halves alone.
template <bool lse, bool bias, bool one_slab, bool hops, bool rough = false>
struct Shape {
  static constexpr bool kLse = lse, kBias = bias, kOneSlab = one_slab, kHops = hops;
  static constexpr bool kRough = rough;
  // More slabs need registers to add them up outside of the matrix unit, which cuts sums off
  // instead of rounding them.
  static constexpr int kGroups = one_slab || rough ? 4 : 3;
  static constexpr int kRows = kGroups * kBlockRows;
  static constexpr int kWarps = 4 * kGroups;
  static constexpr int kThreads = 32 * kWarps + 128;  // one warpgroup more, which copies
  static constexpr int kRegisters = one_slab || rough ? 112 : 160;
  static constexpr int kStages = one_slab || rough ? 4 : 2;
  static constexpr int kRowBlock = rough ? kPart : kBlockBytes;
  static constexpr int kRowBytes = kGroups * kRowBlock;  // one slab of the rows
  static constexpr int kColumnBytes = rough ? kTilePart : kTileBytes;
};

template <class S>
struct Shared {
  struct Stage {
    uint8_t columns[S::kColumnBytes];
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
      // Rounding may not lose what a hop lifts to the floor.
      if constexpr (S::kHops) {
        const float most = job.hops.gain[job.hops.levels];
        floor -= most + 1e-6f * (fabsf(floor) + most);
      }
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
    const int64_t end = job.near.row_ptr[row + 1];
    const int64_t place = first_not_below(job.near.col, job.near.row_ptr[row], end, column);
    return place < end && job.near.col[place] == column;
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

  // What the hop from row r to the column adds to its score.
  __device__ float gain(int r, int column) const {
    const int level = job.hops.level(first_row + r, column);
    return level < job.hops.levels ? job.hops.gain[level] : 0.0f;
  }

  __device__ void offer(int r, float score, int column) const {
    if constexpr (S::kHops) score += gain(r, column);
    const uint64_t key = pair_key(score, column);
    if (S::kHops && key <= shared.floor[first + r]) return;
    const int at = atomicAdd(&shared.held[first + r], 1);
    room[int64_t{r} * job.capacity + at] = key;
  }

  // u: the tile's products times unscale of their columns (with a bias: the scores), this thread's
  // part; columns from first_column on.
  __device__ void take_tile(float (&u)[64], ThreadRows& mine, int first_column) const {
    const int lane = threadIdx.x % 32;
    const int column = first_column + 2 * (lane % 4);
    const int own = job.first_row + first_row;  // of the warp's first row among the columns
    const bool on_diagonal = !job.diagonal && first_column < own + 16 && own < first_column + kTile;
    if (on_diagonal || first_column + kTile > job.columns) {
#pragma unroll
      for (int e = 0; e < 64; ++e) {
        const int j = column + e / 4 * 8 + e % 2;
        const bool itself = !job.diagonal && j == job.first_row + mine.row[e / 2 % 2];
        if (j >= job.columns || itself) u[e] = -INFINITY;
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

}  // namespace choosing
}  // namespace glgnn::cuda
