#include <glgnn/error.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/cuda/device.h"
#include "core/cuda/runtime.cuh"

namespace glgnn::cuda {
namespace {

std::atomic<bool> ended = false;

std::string gigabytes(int64_t bytes) {
  const int64_t tenths = (bytes + 50'000'000) / 100'000'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

cudaMemPool_t pool() {
  static const cudaMemPool_t kept = [] {
    cudaMemPool_t made;
    check(cudaDeviceGetDefaultMemPool(&made, 0), "asking for the device's memory pool");
    uint64_t all = UINT64_MAX;  // what is freed stays ours for the next call
    check(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &all),
          "setting up the device's memory pool");
    return made;
  }();
  return kept;
}

}  // namespace

void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  const std::string said =
      std::string(cudaGetErrorName(status)) + ", " + cudaGetErrorString(status);
  cudaGetLastError();
  if (status == cudaErrorMemoryAllocation) {
    throw Error(ErrorKind::kDevice, what + ": the device's memory is full (" + said +
                                        "); end other programs that use it, take fewer rows, or "
                                        "use the processor");
  }
  throw Error(ErrorKind::kDevice, what + " failed (" + said +
                                      "); nvidia-smi shows the device's state, the processor "
                                      "runs without it");
}

bool compiled() { return true; }

std::optional<DeviceInfo> find_device(std::string* why) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();
    if (why) {
      *why = std::string("no CUDA device was found (") +
             (status == cudaSuccess ? "none is listed" : cudaGetErrorString(status)) +
             "); nvidia-smi shows what the driver sees, the processor runs without one";
    }
    return {};
  }
  cudaDeviceProp found{};
  check(cudaGetDeviceProperties(&found, 0), "asking for the device's properties");
  size_t free_memory = 0, memory = 0;
  check(cudaMemGetInfo(&free_memory, &memory), "asking for the device's memory");
  DeviceInfo info{.name = found.name,
                  .major = found.major,
                  .minor = found.minor,
                  .multiprocessors = found.multiProcessorCount,
                  .memory = static_cast<int64_t>(memory),
                  .free_memory = static_cast<int64_t>(free_memory)};
  check(cudaDriverGetVersion(&info.driver), "asking for the driver's version");
  constexpr int kOldest = 8;
  if (info.major < kOldest) {
    if (why) {
      *why = "found " + info.name + " of compute capability " + std::to_string(info.major) + "." +
             std::to_string(info.minor) +
             ", expected 8.0 (A100) or later; the processor runs without it";
    }
    return {};
  }
  return info;
}

void require_device() {
  static const std::optional<std::string> fault = [] {
    std::string why;
    return find_device(&why) ? std::nullopt : std::optional(why);
  }();
  if (fault) throw Error(ErrorKind::kDevice, *fault);
}

namespace {

thread_local cudaStream_t other_stream = nullptr;

// Streams of threads that have ended; never destroyed, because threads may end after main().
struct IdleStreams {
  std::mutex mutex;
  std::vector<cudaStream_t> streams;
};
IdleStreams& idle_streams() {
  static IdleStreams* const kept = new IdleStreams;
  return *kept;
}

struct OwnStream {
  cudaStream_t stream = nullptr;

  OwnStream() {
    require_device();
    const std::scoped_lock lock(idle_streams().mutex);
    if (std::vector<cudaStream_t>& idle = idle_streams().streams; !idle.empty()) {
      stream = idle.back();
      idle.pop_back();
    } else {
      check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "starting a stream");
    }
  }
  ~OwnStream() {
    const std::scoped_lock lock(idle_streams().mutex);
    idle_streams().streams.push_back(stream);
  }
};

}  // namespace

cudaStream_t stream() {
  if (other_stream) return other_stream;
  thread_local const OwnStream own;
  return own.stream;
}

void wait_for_device() { check(cudaStreamSynchronize(stream()), "running on the device"); }

OnStream::OnStream(cudaStream_t other) : before_(std::exchange(other_stream, other)) {}
OnStream::~OnStream() { other_stream = before_; }

std::unique_lock<std::mutex> lock_device() {
  static std::mutex one_at_a_time;
  std::unique_lock lock(one_at_a_time);
  require_device();
  return lock;
}

std::future<void> start_device(bool wanted) {
  if (!wanted) return {};
  return std::async(std::launch::async | std::launch::deferred, [] {
    try {
      const auto lock = lock_device();
      release(allocate(1));
    } catch (const Error&) {  // it is said where the device is used
    }
  });
}

bool has_ended() { return ended; }

void end_device() {
  ended = true;
  std::thread([] {
    if (cudaSetDevice(0) == cudaSuccess) cudaDeviceReset();
  }).detach();
}

void require_memory(int64_t bytes, const std::string& what, const std::string& advice) {
  uint64_t held = 0, used = 0;  // what the pool holds and nobody uses is free to us
  check(cudaMemPoolGetAttribute(pool(), cudaMemPoolAttrReservedMemCurrent, &held),
        "asking the pool");
  check(cudaMemPoolGetAttribute(pool(), cudaMemPoolAttrUsedMemCurrent, &used), "asking the pool");
  if (bytes <= static_cast<int64_t>(held - used)) return;  // asking the driver takes longer
  size_t free_memory = 0, memory = 0;
  check(cudaMemGetInfo(&free_memory, &memory), "asking for the device's memory");
  const int64_t room = static_cast<int64_t>(free_memory + held - used);
  if (bytes <= room) return;
  throw Error(ErrorKind::kDevice, what + " needs " + gigabytes(bytes) + " on the device, " +
                                      gigabytes(room) + " of " +
                                      gigabytes(static_cast<int64_t>(memory)) + " are free; " +
                                      advice + ", or use the processor");
}

int64_t estimate_memory(int64_t rows, int64_t columns) {
  constexpr int64_t kOfANumber = 20, kOfARow = 8000, kAlways = 64'000'000, kWhole = 64;
  const int64_t padded = (columns + kWhole - 1) / kWhole * kWhole;
  return kOfANumber * rows * padded + kOfARow * rows + kAlways;
}

void require_room(int64_t rows, int64_t columns) {
  const auto lock = lock_device();
  require_memory(
      estimate_memory(rows, columns),
      "training on " + std::to_string(rows) + " rows of " + std::to_string(columns) + " columns",
      "it grows in proportion to the rows and to the columns: take fewer");
}

void* allocate(int64_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  check(cudaMallocFromPoolAsync(&memory, bytes, pool(), stream()), "asking for device memory");
  return memory;
}

void release(void* memory) noexcept {
  if (memory && !ended) cudaFreeAsync(memory, stream());
}

int64_t peak_memory() {
  uint64_t bytes = 0;
  check(cudaMemPoolGetAttribute(pool(), cudaMemPoolAttrUsedMemHigh, &bytes), "asking the pool");
  return static_cast<int64_t>(bytes);
}

void reset_peak_memory() {
  uint64_t zero = 0;
  check(cudaMemPoolSetAttribute(pool(), cudaMemPoolAttrUsedMemHigh, &zero), "resetting the pool");
}

}  // namespace glgnn::cuda
