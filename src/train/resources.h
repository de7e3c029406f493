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
  int modules;     // trained at once
  Context inside;  // of each
};

// Above 20,000 rows one module at a time uses all threads: several would need their memory at once.
inline ThreadShares share_threads(const Features& features, const Context& context) {
  constexpr int64_t kRowsOfModulesAtOnce = 20000;
  if (features.rows() <= kRowsOfModulesAtOnce) return {context.threads, context.with_threads(1)};
  return {1, context};
}

// The same for modules of one training. A GPU does what is large in each, one after the other, and
// leaves the processor little work of one thread: some modules at once fill both.
inline ThreadShares share_among_modules(const Features& features, const Context& context) {
  constexpr int kBesideGpu = 16;
  const ThreadShares shares = share_threads(features, context);
  if (context.device != Device::kCuda || shares.modules > 1) return shares;
  return {std::min(kBesideGpu, context.threads), context.with_threads(1)};
}

}  // namespace glgnn
