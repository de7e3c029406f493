// How N rows are cut into blocks, and in which order the pairs of blocks are visited.
//
// Rows are packed in panels; a block is a run of panels. A tile of S (block I by block J) serves
// the rows of I and, transposed, the rows of J, so each unordered pair of blocks is computed once.
// The pairs are played as a round-robin tournament: in one round every block meets one other, so
// that the pairs of a round touch different rows and may run at once, and every row meets the
// columns in an order that depends on N alone. Hence no locks, and the same bits for any number of
// threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/parallel.h"

namespace glgnn::cpu {

inline constexpr int64_t kPanelRows = 48;   // three vectors of 16, six of 8, twelve of 4
inline constexpr int64_t kFeatureStep = 8;  // D is padded to this where features are the rows

inline int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

class Blocks {
 public:
  // `pairs` is how many pairs a round should have where there are few rows: each costs the same for
  // every row, so that fewer are faster as long as all threads have one.
  explicit Blocks(int64_t rows, int64_t pairs = 8)
      : rows_(rows), panels_((rows + kPanelRows - 1) / kPanelRows) {
    // Tiles of about 300 x 300 stay in the second cache; a multiple of 16 blocks gives 8 equal
    // pairs.
    const int64_t wanted = (panels_ + 3) / 6;
    const int64_t small =
        panels_ < 2 ? 1 : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(panels_ / 2)));
    const int64_t few = wanted > 10 ? 16 : 2 * pairs;
    count_ = wanted > 16 ? round_up(wanted - 7, 16) : std::min(few, small);
    for (int64_t b = 0; b < count_; ++b) longest_ = std::max(longest_, padded(b));
  }

  int64_t rows() const { return rows_; }
  int64_t padded_rows() const { return panels_ * kPanelRows; }
  int64_t count() const { return count_; }
  int64_t first(int64_t b) const { return b * panels_ / count_ * kPanelRows; }
  int64_t padded(int64_t b) const {
    return first(b + 1) - first(b);
  }  // rows, a multiple of a panel
  int64_t size(int64_t b) const { return std::min(first(b + 1), rows_) - first(b); }
  int64_t longest() const { return longest_; }
  // An odd number of cache lines, so that the rows of a tile fall on different places of the cache.
  int64_t tile_stride() const { return longest_ / 16 % 2 == 0 ? longest_ + 16 : longest_ + 32; }
  int64_t tile_size() const { return longest_ * tile_stride(); }

 private:
  int64_t rows_;
  int64_t panels_;
  int64_t count_ = 1;
  int64_t longest_ = 0;
};

// Calls visit(i, j, thread) once for every unordered pair of blocks, i == j included.
template <class Visit>
void for_each_block_pair(const Blocks& blocks, int threads, Visit&& visit) {
  const int64_t count = blocks.count();
  const int64_t wheel = count - 1;  // one block stands still, the others turn around it
  parallel_for(count, threads, 1, [&](int64_t b, int thread) { visit(b, b, thread); });
  for (int64_t round = 0; round < wheel; ++round) {
    parallel_for(count / 2, threads, 1, [&](int64_t p, int thread) {
      const int64_t i = p == 0 ? wheel : (round + p) % wheel;
      const int64_t j = (round + wheel - p) % wheel;
      visit(i, j, thread);
    });
  }
}

// Calls visit(i, j, thread) once for every block i of one run of rows and j of another. In a round
// each block of the shorter run meets another of the longer, so that the pairs of a round may run
// at once.
template <class Visit>
void for_each_pair_between(const Blocks& one, const Blocks& other, int threads, Visit&& visit) {
  const bool turned = one.count() < other.count();
  const int64_t longer = std::max(one.count(), other.count());
  const int64_t shorter = std::min(one.count(), other.count());
  for (int64_t round = 0; round < longer; ++round) {
    parallel_for(shorter, threads, 1, [&](int64_t p, int thread) {
      const int64_t q = (p + round) % longer;
      turned ? visit(p, q, thread) : visit(q, p, thread);
    });
  }
}

}  // namespace glgnn::cpu
