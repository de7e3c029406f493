// How a block of threads takes its work: items are some blocks of 64 rows with a split of the
// columns' tiles; one thread copies, warpgroups multiply. A Job has row_packed, blocks (of the
// rows), slabs, tiles, splits and split_tiles; a Shape has kStages, kOneSlab, kGroups, kWarps and
// kRowBlock, the bytes that are read of a packed block of rows.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kernels/cuda/hopper.cuh"
#include "kernels/cuda/packed_rows.cuh"

namespace glgnn::cuda {

inline int multiprocessors() {
  static const int kept = [] {
    int count = 0;
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "asking the device");
    return count;
  }();
  return kept;
}

// Whether this device has the instructions of hopper.cuh; others run the plain kernels, and so does
// GLGNN_CUDA_KERNELS=plain, by which op_check sees them.
inline bool has_tiles() {
  static const bool kept = [] {
    int major = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0),
          "asking the device");
    const char* const asked = std::getenv("GLGNN_CUDA_KERNELS");
    return major == 9 && !(asked && std::string_view(asked) == "plain");
  }();
  return kept;
}

// Few rows leave multiprocessors without work: the columns are cut into `count` splits of `tiles`
// each, so that `items` (groups of rows) times splits run in the fewest rounds. A split costs as
// much as `start` tiles more.
struct Splits {
  int count = 1, tiles;

  Splits(int items, int all_tiles, int start) : tiles(all_tiles) {
    constexpr int kMost = 64;
    int64_t shortest = INT64_MAX;
    for (int splits = 1; splits <= std::min(all_tiles, kMost); ++splits) {
      const int each = (all_tiles + splits - 1) / splits;
      const int64_t rounds = (int64_t{items} * splits - 1) / multiprocessors() + 1;
      if (rounds * (each + start) >= shortest) continue;
      shortest = rounds * (each + start);
      tiles = each;
    }
    count = (all_tiles + tiles - 1) / tiles;
  }
};

struct Item {
  int first_block;  // of the rows
  int split;
  int first_tile, last_tile;  // of the columns

  template <class Job>
  __device__ Item(const Job& job, int number, int groups)
      : first_block(number / job.splits * groups),
        split(number % job.splits),
        first_tile(split * job.split_tiles),
        last_tile(min(job.tiles, first_tile + job.split_tiles)) {}
};

template <class Job>
__device__ int item_count(const Job& job, int groups) {
  return (job.blocks + groups - 1) / groups * job.splits;
}

// One thread, before all others go on.
template <class S, class Shared>
__device__ void make_barriers(Shared& shared) {
  for (int s = 0; s < S::kStages; ++s) {
    shared.full[s].init(1);
    shared.empty[s].init(S::kWarps);
  }
  shared.rows_full.init(1);
  shared.rows_empty.init(S::kWarps);
  publish_barriers();
}

// One thread: copies what the warpgroups will need, as stages get free. bytes_of_columns(slab) and
// copy_columns(stage, tile, slab) are what a tile needs beside its rows.
template <class S, class Job, class Shared, class Bytes, class Copy>
__device__ void feed(const Job& job, Shared& shared, Bytes&& bytes_of_columns,
                     Copy&& copy_columns) {
  Turn<S::kStages> turn;
  uint32_t rows_parity = 0;
  for (int number = blockIdx.x; number < item_count(job, S::kGroups); number += gridDim.x) {
    const Item item(job, number, S::kGroups);
    const int groups = min(S::kGroups, job.blocks - item.first_block);
    const uint8_t* rows = job.row_packed + int64_t{item.first_block} * job.slabs * kBlockBytes;
    if constexpr (S::kOneSlab) {
      shared.rows_empty.wait(rows_parity ^ 1);
      rows_parity ^= 1;
      shared.rows_full.arrive_and_expect(groups * kBlockBytes);
      copy_to_shared(shared.rows, rows, groups * kBlockBytes, shared.rows_full);
    }
    for (int tile = item.first_tile; tile < item.last_tile; ++tile) {
      for (int slab = 0; slab < job.slabs; ++slab) {
        const int s = turn.stage;
        shared.empty[s].wait(turn.parity ^ 1);
        shared.full[s].arrive_and_expect(bytes_of_columns(slab) +
                                         (S::kOneSlab ? 0 : groups * S::kRowBlock));
        copy_columns(s, tile, slab);
        if constexpr (!S::kOneSlab) {
          for (int g = 0; g < groups; ++g) {
            copy_to_shared(shared.stages[s].rows + g * S::kRowBlock,
                           rows + (int64_t{g} * job.slabs + slab) * kBlockBytes, S::kRowBlock,
                           shared.full[s]);
          }
        }
        turn.next();
      }
    }
  }
}

}  // namespace glgnn::cuda
