#include "threads.h"

#include <fmt/core.h>
#include <glgnn/error.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "core/parallel.h"

namespace glgnn::cli {

void ThreadOption::add_to(CLI::App& app) {
  app.add_option("--threads", threads,
                 "threads to use; the result has the same bits for any number")
      ->type_name("N");
}

void ThreadOption::add_device_to(CLI::App& app, const std::string& automatic) {
  app.add_option("--device", device,
                 "where to compute: cpu, cuda (an NVIDIA GPU), or auto, " + automatic + " (auto)")
      ->type_name("NAME");
}

Context ThreadOption::context() const {
  constexpr int kMost = 4096;
  if (threads && (*threads < 1 || *threads > kMost)) {
    throw Error(ErrorKind::kUsage, fmt::format("--threads: found {}, expected a whole number from "
                                               "1 to {}",
                                               *threads, kMost));
  }
  Context chosen = default_context();
  if (threads) chosen.threads = *threads;
  require_threads(chosen.threads);
  chosen.device = device_named(device);
  return chosen;
}

void let_idle_threads_sleep(char** argv) {
  if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY")) return;
  constexpr const char* kSpins = "500";  // some microseconds: enough between two loops
  if (::setenv("GOMP_SPINCOUNT", kSpins, 0) != 0) return;
  // Large arrays in large pages: to take them by 4 KB costs as much as many a loop over them.
  ::setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
  ::execv("/proc/self/exe", argv);
  // It could not be started anew (no /proc): spinning is only slower.
}

}  // namespace glgnn::cli
