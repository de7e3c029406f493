// What a training takes of the machine: memory, threads.
#pragma once

#include <glgnn/context.h>
#include <glgnn/dataset.h>

#include <algorithm>
#include <cstdint>

#include "core/parallel.h"

namespace glgnn {

// When memory is worth more than the time to ask for it again.

// From so many rows on, training and evaluation do not hold their memory at the same time: to ask
// for it again costs nothing beside such an epoch.
inline constexpr int64_t kRowsWorthReleasing = 16384;

// How the threads are shared among modules that are trained side by side.

struct ThreadShares {
  int modules;        // trained at once
  Context inside;     // of each
  Context landmarks;  // of those that are landmarks
};

// Above 20,000 rows one module at a time uses all threads: several would need their memory at once.
inline ThreadShares share_threads(const Features& features, const Context& context) {
  constexpr int64_t kRowsOfModulesAtOnce = 20000;
  const bool at_once = features.rows() <= kRowsOfModulesAtOnce;
  const Context inside = at_once ? context.with_threads(1) : context;
  return {at_once ? context.threads : 1, inside, inside};
}

// The same for modules of one training. A GPU does what is large in each and leaves the processor
// little work of one thread: some modules at once fill both. Landmarks stay with the processor.
inline ThreadShares share_among_modules(const Features& features, const Context& context,
                                        int64_t modules) {
  constexpr int kBesideGpu = 16, kLandmarksAtOnce = 2;
  const ThreadShares shares = share_threads(features, context);
  if (context.device != Device::kCuda || shares.modules > 1) return shares;
  omp_set_max_active_levels(2);  // a loop of landmarks is inside of that over the modules
  const int64_t of_each = context.threads / std::max<int64_t>(1, modules);
  return {std::min(kBesideGpu, context.threads),
          context.with_threads(std::max(1, static_cast<int>(of_each))),
          context.with_threads(std::max(1, context.threads / kLandmarksAtOnce))};
}

}  // namespace glgnn
