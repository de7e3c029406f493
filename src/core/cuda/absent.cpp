// The device of a build without CUDA: there is none. (CMakeLists.txt takes this file or the .cu
// files.)
#include <glgnn/error.h>

#include "core/cuda/device.h"

namespace glgnn::cuda {
namespace {

constexpr const char* kAbsent =
    "this program was compiled without CUDA; `make cuda` compiles it in where nvcc is installed, "
    "or use the processor (--device cpu)";

}  // namespace

bool compiled() { return false; }

std::optional<DeviceInfo> find_device(std::string* why) {
  if (why) *why = kAbsent;
  return {};
}

std::future<void> start_device(bool) { return {}; }

void require_device() { throw Error(ErrorKind::kUnsupported, kAbsent); }

int64_t estimate_memory(int64_t, int64_t) { return 0; }
void require_room(int64_t, int64_t) { require_device(); }

int64_t peak_memory() { return 0; }
void reset_peak_memory() {}

}  // namespace glgnn::cuda
