// Loops shared among threads, for work whose parts do not depend on each other: then the bits are
// the same however it is cut. All parallel loops of the library are made of these: an exception
// must not leave a parallel region, so the first one of any thread waits here for the end of the
// loop and is thrown to the caller; what has not begun by then is left out.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>

namespace glgnn {

class FirstFailure {
 public:
  template <class Work>
  void guard(Work&& work) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      work();
    } catch (...) {
      if (!failed_.exchange(true)) thrown_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr thrown_;
};

// Calls work(i), or work(i, thread), for 0 <= i < count. A thread takes `chunk` numbers at a time;
// 0: all threads as many, at once.
template <class Work>
void parallel_for(int64_t count, int threads, int64_t chunk, Work&& work) {
  const auto call = [&](int64_t i, [[maybe_unused]] int thread) {
    if constexpr (std::is_invocable_v<Work, int64_t, int>)
      work(i, thread);
    else
      work(i);
  };
  if (chunk == 0) chunk = std::max<int64_t>(1, (count + threads - 1) / threads);
  // In no parallel region, not even one of a single thread: every loop inside would start threads.
  if (threads <= 1 || count <= chunk) {
    for (int64_t i = 0; i < count; ++i) call(i, 0);
    return;
  }
  FirstFailure failure;
#pragma omp parallel for num_threads(threads) schedule(dynamic, chunk)
  for (int64_t i = 0; i < count; ++i) failure.guard([&] { call(i, omp_get_thread_num()); });
  failure.rethrow();
}

// Calls work(room, i) for 0 <= i < count; every thread has a room to work in, which make_room()
// gives.
template <class MakeRoom, class Work>
void parallel_for_in_rooms(int64_t count, int threads, int64_t chunk, MakeRoom&& make_room,
                           Work&& work) {
  if (threads <= 1 || count <= chunk) {
    auto room = make_room();
    for (int64_t i = 0; i < count; ++i) work(room, i);
    return;
  }
  FirstFailure failure;
#pragma omp parallel num_threads(threads)
  {
    std::optional<decltype(make_room())> room;
    failure.guard([&] { room.emplace(make_room()); });
#pragma omp for schedule(dynamic, chunk)
    for (int64_t i = 0; i < count; ++i) {
      failure.guard([&] { work(*room, i); });
    }
  }
  failure.rethrow();
}

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
  parallel_for(ranges, threads, 1,
               [&](int64_t r) { work(rows * r / ranges, rows * (r + 1) / ranges); });
}

// Calls work(piece, begin, end) for pieces of `size` rows. How the rows are cut does not depend on
// the threads: what is summed by pieces and then over them in order has the same bits for any
// number.
template <class Work>
void for_fixed_pieces(int64_t rows, int64_t size, int threads, Work&& work) {
  parallel_for((rows + size - 1) / size, threads, 1,
               [&](int64_t p) { work(p, p * size, std::min(rows, (p + 1) * size)); });
}

// Whether the threads of a context can be had.

// Throws kUsage where the system does not let so many threads run at once, which the OpenMP runtime
// would answer by ending the process. To be called before the first loop.
void require_threads(int threads);

}  // namespace glgnn
