#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "check.h"

namespace glgnn::op_check {
namespace {

// The shortest of as many runs as fit into a third of a second, two at least.
double shortest_seconds(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  double best = 1e30, total = 0;
  for (int repeat = 0; repeat < 2 || total < 0.33; ++repeat) {
    const auto before = Clock::now();
    work();
    const auto after = Clock::now();
    best = std::min(best, std::chrono::duration<double>(after - before).count());
    total = std::chrono::duration<double>(after - begin).count();
  }
  return best;
}

void print_rate(double seconds, Work work) {
  std::printf("  %10.3f ms", 1e3 * seconds);
  if (work.flops > 0) {
    std::printf(" %7.2f GFLOP/s", 1e-9 * work.flops / seconds);
  } else {
    std::printf(" %7.2f GB/s   ", 1e-9 * work.bytes / seconds);
  }
}

void bench_backend(const Op& op, const Case& c, const std::string& backend,
                   const std::function<void(Run<float>&)>& forward,
                   const std::function<void(Run<float>&)>& backward) {
  Run<float> run = make_run<float>(c);
  std::printf("%-20s %-26s %-14s", op.name.c_str(), c.name.c_str(), backend.c_str());
  print_rate(shortest_seconds([&] { forward(run); }), c.forward_work);
  if (backward) print_rate(shortest_seconds([&] { backward(run); }), c.backward_work);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

void bench_case(const Op& op, const Case& c) {
  bench_backend(op, c, "ref", c.forward.in_float, c.backward.in_float);
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (const Backend& backend : c.backends) {
    for (int threads = 1; threads <= cores; threads = threads == cores ? cores + 1 : cores) {
      const auto with_threads = [threads](const ThreadedStep& step) {
        return step ? [&step, threads](Run<float>& run) { step(run, threads); }
                    : std::function<void(Run<float>&)>();
      };
      bench_backend(op, c, backend.name + " x" + std::to_string(threads),
                    with_threads(backend.forward), with_threads(backend.backward));
    }
  }
}

}  // namespace glgnn::op_check
