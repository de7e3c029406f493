// Where a table is computed: on the processor or on a GPU.
#include "core/cuda/device.h"

#include <glgnn/context.h>
#include <glgnn/error.h>

namespace glgnn {
namespace {

// A training compares all pairs of rows, several times: products of numbers from which on a GPU
// gains. An H200 beside 16 threads (docs/benchmarks.md): a training in best mode takes 0.83 of the
// time at 4e12 (70,000 x 784).
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
