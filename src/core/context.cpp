#include <glgnn/context.h>
#include <glgnn/error.h>
#include <omp.h>

#include <latch>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "core/cuda/device.h"
#include "core/parallel.h"

namespace glgnn {
namespace {

// How many threads can be there at once beside this one, of those that are wanted.
int count_threads(int wanted) {
  std::latch end(1);
  std::vector<std::jthread> waiting;  // each is joined where this ends
  struct Release {
    std::latch& latch;
    ~Release() { latch.count_down(); }
  } const release{end};
  waiting.reserve(static_cast<size_t>(wanted));
  try {
    for (int t = 0; t < wanted; ++t) waiting.emplace_back([&] { end.wait(); });
  } catch (const std::system_error&) {
  }
  return static_cast<int>(waiting.size());
}

}  // namespace

Context default_context() { return {omp_get_max_threads(), Device::kAuto}; }

void require_threads(int threads) {
  const int found = 1 + count_threads(threads - 1);
  if (found >= threads) return;
  throw Error(ErrorKind::kUsage,
              "not enough threads: found room for " + std::to_string(found) + ", expected " +
                  std::to_string(threads) +
                  "; ask for fewer (--threads, OMP_NUM_THREADS, in Python n_jobs), or allow more "
                  "memory and processes (ulimit -v, ulimit -u)");
}

// Where a table is computed: on the processor or on a GPU.

namespace {

// A training compares all pairs of rows, several times: products of numbers from which on a GPU
// gains. An H200 beside 16 threads (docs/benchmarks.md): in best mode both take as long at 1e10
// (Cora), the processor a third of the time at 2e8 (Digits). train/fit.cpp knows when paper mode
// gains below that.
constexpr double kProductsWorthDevice = 1e10;

}  // namespace

Device device_named(std::string_view name) {
  if (name == "cpu") return Device::kCpu;
  if (name == "cuda") return Device::kCuda;
  if (name == "auto") return Device::kAuto;
  throw Error(ErrorKind::kUsage,
              "device: found \"" + std::string(name) + "\", expected cpu, cuda or auto");
}

Context resolve_device(const Context& context, int64_t rows, int64_t columns) {
  Context out = context;
  if (context.device == Device::kCuda) cuda::require_room(rows, columns);
  if (context.device != Device::kAuto) return out;
  const double products =
      static_cast<double>(rows) * static_cast<double>(rows) * static_cast<double>(columns);
  out.device = Device::kCpu;
  if (products < kProductsWorthDevice) return out;
  const auto found = cuda::find_device();
  if (found && cuda::estimate_memory(rows, columns) <= found->free_memory) {
    out.device = Device::kCuda;
  }
  return out;
}

std::string device_text(const Context& context) {
  const auto found =
      context.device == Device::kCuda ? cuda::find_device() : std::optional<cuda::DeviceInfo>{};
  return found ? found->name : "cpu";
}

}  // namespace glgnn
