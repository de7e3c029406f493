// All pairs of rows that are owned by ranks, each computed once.
//
// In step s = 1, 2, ... up to half the ranks, rank r hosts the rows of rank r + s (counted round)
// and compares them with its own; what they found is sent home. Rows come in pieces: the next one
// is on its way while the last is computed, and a rank never has more of others' rows than two
// pieces. Where the number of ranks is even, the last step has each pair of ranks twice: the one of
// the lower number hosts the first half of the other's rows, which compares its second half with
// all rows of the former. So all ranks have as much to do.
#pragma once

#include <cstdint>
#include <string>

#include "dist/ranks.h"

namespace glgnn {

// Which rows a rank owns: the first, and the one after the last. In whole runs of kRunOfRows, where
// there is one at least for each rank: work on rows goes by such runs.
inline constexpr int64_t kRunOfRows = 48;
struct RowRange {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};
RowRange rows_of_rank(int64_t rows, int ranks, int rank);
int owner_of(int64_t row, int64_t rows, int ranks);

// What is done with the pairs. Ranges are those of all rows.
class PairWork {
 public:
  virtual ~PairWork() = default;
  virtual void compare_own() = 0;
  // Own rows as they go to another rank. Called by another thread, after compare_own().
  virtual std::string pack(const RowRange& rows) const = 0;
  // Compares visitors with own rows; gives what is sent home.
  virtual std::string host(const RowRange& visitors, const std::string& packed,
                           const RowRange& own) = 0;
  // What own rows have found on another rank; always in the same order.
  virtual void take(const RowRange& own, const std::string& found) = 0;
};

struct PairOptions {
  int64_t rows = 0;   // of all ranks
  int64_t piece = 0;  // rows that travel at once
  int64_t step = 1;   // halves of a rank's rows begin at multiples of it
};

// What it cost on this rank.
struct PairCosts {
  int64_t bytes_of_rows = 0, bytes_of_found = 0;  // sent
  double seconds_waited = 0;                      // for visitors, and for what was found elsewhere
};

// Every rank calls it with the same options.
PairCosts compare_all_pairs(Ranks& ranks, const PairOptions& options, PairWork& work);

}  // namespace glgnn
