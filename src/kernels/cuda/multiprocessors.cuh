// How work is spread over the device.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>

#include "core/cuda/runtime.cuh"

namespace glgnn::cuda {

inline int multiprocessors() {
  static const int kept = [] {
    int count = 0;
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0), "asking the device");
    return count;
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

}  // namespace glgnn::cuda
