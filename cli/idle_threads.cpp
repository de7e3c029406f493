#include "idle_threads.h"

#include <unistd.h>

#include <cstdlib>

namespace glgnn::cli {

void let_idle_threads_sleep(char** argv) {
  if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY")) return;
  constexpr const char* kSpins = "500";  // some microseconds: enough between two loops
  if (::setenv("GOMP_SPINCOUNT", kSpins, 0) != 0) return;
  ::execv("/proc/self/exe", argv);
  // It could not be started anew (no /proc): spinning is only slower.
}

}  // namespace glgnn::cli
