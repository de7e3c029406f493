// How long things take.
#pragma once

#include <chrono>

namespace glgnn {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace glgnn
