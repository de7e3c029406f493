// Exceptions of parallel loops reach the caller, and our own faults are exceptions.
#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

#include "core/check.h"

namespace glgnn {
namespace {

constexpr int64_t kCount = 1000;

TEST(ParallelFor, TheFirstExceptionReachesTheCaller) {
  for (const int threads : {1, 2, 4}) {
    for (const int64_t chunk : {0, 1, 64}) {
      std::atomic<int64_t> done = 0;
      const auto run = [&](int64_t failing) {
        parallel_for(kCount, threads, chunk, [&](int64_t i) {
          if (i >= failing) throw std::bad_alloc();
          ++done;
        });
      };
      EXPECT_NO_THROW(run(kCount));
      EXPECT_EQ(done, kCount);
      EXPECT_THROW(run(0), std::bad_alloc);
      EXPECT_THROW(run(kCount - 1), std::bad_alloc);
      EXPECT_NO_THROW(run(kCount)) << "a loop after one that failed";
    }
  }
}

TEST(ParallelFor, ARoomThatCannotBeMadeIsTold) {
  for (const int threads : {1, 4}) {
    std::atomic<int> made = 0;
    const auto run = [&](int most) {
      const auto make_room = [&] {
        if (++made > most) throw std::length_error("no room");
        return std::vector<int>(3);
      };
      parallel_for_in_rooms(kCount, threads, 1, make_room,
                            [](std::vector<int>& room, int64_t) { room.at(2) = 1; });
    };
    EXPECT_NO_THROW(run(threads));
    EXPECT_THROW(run(0), std::length_error);
  }
  EXPECT_THROW(parallel_for_in_rooms(
                   kCount, 3, 1, [] { return 0; }, [](int, int64_t) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(ParallelFor, RangesAndPiecesTellToo) {
  const auto fail = [](int64_t, int64_t) { throw std::bad_alloc(); };
  EXPECT_THROW(for_row_ranges(kCount, 1 << 20, 4, fail), std::bad_alloc);
  EXPECT_THROW(
      for_fixed_pieces(kCount, 10, 4, [](int64_t, int64_t, int64_t) { throw std::bad_alloc(); }),
      std::bad_alloc);
}

// Rooms are by the number of the thread.
TEST(ParallelFor, ThreadsHaveNumbersBelowTheirCount) {
  for (const int threads : {1, 3}) {
    std::vector<int64_t> sums(static_cast<size_t>(threads), 0);
    parallel_for(kCount, threads, 7, [&](int64_t i, int thread) { sums.at(thread) += i; });
    int64_t sum = 0;
    for (const int64_t part : sums) sum += part;
    EXPECT_EQ(sum, kCount * (kCount - 1) / 2);
  }
}

TEST(ParallelFor, AnAssertionIsAnException) {
  const auto run = [] {
    parallel_for(kCount, 2, 1, [](int64_t i) { GLGNN_ASSERT(i < kCount / 2); });
  };
  try {
    run();
    FAIL() << "nothing was said";
  } catch (const InternalFault& fault) {
    const std::string text = fault.what();
    EXPECT_NE(text.find("parallel_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("this is our own fault: please report it"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace glgnn
