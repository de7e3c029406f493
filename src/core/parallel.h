// Row-by-row work shared among threads, for loops whose rows do not depend on each other: then the
// bits are the same however the rows are cut.
#pragma once

#include <algorithm>
#include <cstdint>

namespace glgnn {

// Calls work(begin, end) on ranges that cover 0 .. rows. `numbers` is how many numbers all rows
// hold, each counted as often as it costs more than a load and a store: small work is done at once,
// because waking a thread costs more.
template <class Work>
void for_row_ranges(int64_t rows, int64_t numbers, int threads, Work&& work) {
  constexpr int64_t kWorthAThread = 16384;
  const int64_t ranges = std::clamp<int64_t>(numbers / kWorthAThread, 1, 4 * threads);
  if (threads == 1 || ranges == 1) {
    work(int64_t{0}, rows);
    return;
  }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (int64_t r = 0; r < ranges; ++r) work(rows * r / ranges, rows * (r + 1) / ranges);
}

// Calls work(piece, begin, end) for pieces of `size` rows. How the rows are cut does not depend on
// the threads: what is summed by pieces and then over them in order has the same bits for any
// number.
template <class Work>
void for_fixed_pieces(int64_t rows, int64_t size, int threads, Work&& work) {
  const int64_t pieces = (rows + size - 1) / size;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1 && pieces > 1)
  for (int64_t p = 0; p < pieces; ++p) work(p, p * size, std::min(rows, (p + 1) * size));
}

}  // namespace glgnn
