// What the parts of choosing share: the task, the kinds of kernel, shared memory.
#pragma once

#include "kernels/cuda/choose.cuh"
#include "kernels/cuda/hopper.cuh"

namespace glgnn::cuda::choosing {

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
  float most_gain;  // of a column by its hop
  uint64_t* room;   // candidates: for each block of threads, its rows x capacity
  uint64_t* best;   // rows x splits x k
  int* held;        // rows x splits: how many of them
  float* top;       // rows x splits: what the exponents of `sum` lack
  double* sum;      // rows x splits
};

// What a kernel is made for.
template <bool lse, bool bias, bool one_slab, bool hops>
struct Shape {
  static constexpr bool kLse = lse, kBias = bias, kOneSlab = one_slab, kHops = hops;
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

}  // namespace glgnn::cuda::choosing
