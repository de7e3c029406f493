// How the threads are shared among modules that are trained side by side.
#pragma once

#include <glgnn/context.h>
#include <glgnn/dataset.h>

#include "core/parallel.h"

namespace glgnn {

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

}  // namespace glgnn
