// How the threads are shared among modules that are trained side by side.
#pragma once

#include <glgnn/context.h>
#include <glgnn/dataset.h>

namespace glgnn {

struct ThreadShares {
  int modules;     // trained at once
  Context inside;  // of each
};

// Above 20,000 rows one module at a time uses all threads: several would need their memory at once.
inline ThreadShares share_threads(const Features& features, const Context& context) {
  constexpr int64_t kRowsOfModulesAtOnce = 20000;
  if (features.rows() <= kRowsOfModulesAtOnce) return {context.threads, Context{1}};
  return {1, context};
}

// Calls job(0) .. job(count - 1), `at_once` side by side. A job must not throw. One at a time is in
// no parallel region, not even one of a single thread: in such a region every loop inside would
// start new threads.
template <class Job>
void run_side_by_side(int64_t count, int at_once, const Job& job) {
  if (at_once <= 1) {
    for (int64_t j = 0; j < count; ++j) job(j);
    return;
  }
#pragma omp parallel for schedule(dynamic) num_threads(at_once)
  for (int64_t j = 0; j < count; ++j) job(j);
}

}  // namespace glgnn
