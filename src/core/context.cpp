#include <glgnn/context.h>
#include <glgnn/error.h>
#include <omp.h>

#include <latch>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "core/threads.h"

namespace glgnn {
namespace {

// How many threads can be there at once beside this one, of those that are wanted.
int count_threads(int wanted) {
  std::latch end(1);
  std::vector<std::jthread> waiting;  // each is joined where this ends
  struct Release {
    std::latch& latch;
    ~Release() { latch.count_down(); }
  } const release{end};
  waiting.reserve(static_cast<size_t>(wanted));
  try {
    for (int t = 0; t < wanted; ++t) waiting.emplace_back([&] { end.wait(); });
  } catch (const std::system_error&) {
  }
  return static_cast<int>(waiting.size());
}

}  // namespace

Context default_context() { return {omp_get_max_threads(), Device::kAuto}; }

void require_threads(int threads) {
  const int found = 1 + count_threads(threads - 1);
  if (found >= threads) return;
  throw Error(ErrorKind::kUsage,
              "not enough threads: found room for " + std::to_string(found) + ", expected " +
                  std::to_string(threads) +
                  "; ask for fewer (--threads, OMP_NUM_THREADS, in Python n_jobs), or allow more "
                  "memory and processes (ulimit -v, ulimit -u)");
}

}  // namespace glgnn
