// Pieces of work for all ranks: rank 0 hands out the next one to whoever is free, itself among
// them, so that a slow rank holds up nobody. A piece's result does not depend on who made it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dist/ranks.h"

namespace glgnn {

struct Job {
  std::vector<int64_t> pieces;  // of rank 0: in the order of handing out, the longest first
  int threads = 1;              // of this rank that take pieces
  // On any rank and thread: makes the result of a piece, and puts it where it belongs. False if it
  // stopped in the middle.
  std::function<bool(int64_t)> make;
  // The result as bytes, on the rank that made it; and from bytes, on rank 0.
  std::function<std::string(int64_t)> pack;
  std::function<void(int64_t, const std::string&)> unpack;
  // On rank 0, one at a time, in the order of finishing.
  std::function<void(int64_t)> finished;
  // On rank 0, where a rank was lost and the process will end: keeps what is finished. May be
  // empty.
  std::function<void()> keep;
  // On rank 0: nothing more is to be begun, and nobody waited for.
  std::function<bool()> stopped;
};

// Every rank calls it with the same job. Returns on rank 0 when all are finished, or stopped.
void hand_out(Ranks& ranks, const Job& job);

// Calls `keep` of the job that rank 0 hands out just now, from any thread; false where there is
// none.
bool keep_finished_pieces();

}  // namespace glgnn
