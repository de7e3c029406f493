// Where and how an operation runs: passed explicitly, never global.
#pragma once

#include <cstdint>

namespace glgnn {

struct Context {
  int threads = 1;    // OpenMP threads; results have the same bits for any number
  uint64_t seed = 0;  // of the counter-based random numbers (core/rng.h)
};

// A context with every thread OpenMP offers (OMP_NUM_THREADS is honoured).
Context default_context(uint64_t seed = 0);

}  // namespace glgnn
