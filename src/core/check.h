// For our own faults only: a shape that the code above must have got right.
#pragma once

#include <cstdio>
#include <cstdlib>

#define GLGNN_ASSERT(condition)                                                                  \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      std::fprintf(stderr, "glgnn: internal: %s:%d: %s\n", __FILE_NAME__, __LINE__, #condition); \
      std::abort();                                                                              \
    }                                                                                            \
  } while (false)
