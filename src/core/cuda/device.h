// The GPU as the rest of the library sees it. Nothing here needs CUDA's headers; a build without
// CUDA has no device.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>

namespace glgnn::cuda {

struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;  // compute capability
  int multiprocessors = 0;
  int64_t memory = 0, free_memory = 0;  // bytes
  int driver = 0;                       // CUDA version of the driver, as 13000 for 13.0
};

// Whether this program was compiled with CUDA.
bool compiled();

// The first device; empty where there is none, with the reason in `why`.
std::optional<DeviceInfo> find_device(std::string* why = nullptr);

// Starts the device beside the caller's work, where it is wanted. Who uses it waits for it, and is
// told what is wrong with it.
std::future<void> start_device(bool wanted);

// Begins to end the device beside the caller's work: nothing may use it any more, and the process
// has to end by _Exit. It takes a tenth of a second, which the end of the process would take else.
void end_device();
bool has_ended();

// Throws an Error that says what to do, unless the first device can run our kernels.
void require_device();

// About the bytes that a training on a table of this size takes on the device at the most: two
// views of its numbers, the packed ones and a gradient, the best pairs of every row, and some heads
// at once.
int64_t estimate_memory(int64_t rows, int64_t columns);

// Throws an Error with that estimate where the device has less.
void require_room(int64_t rows, int64_t columns);

// The most bytes that our arrays have held on the device at once since the last reset.
int64_t peak_memory();
void reset_peak_memory();

}  // namespace glgnn::cuda
