// Where and how an operation runs: passed explicitly, never global.
#pragma once

namespace glgnn {

// The means of an operation.
struct Context {
  int threads = 1;  // OpenMP threads; results have the same bits for any number
};

// A context with every thread OpenMP offers (OMP_NUM_THREADS is honoured).
Context default_context();

}  // namespace glgnn
