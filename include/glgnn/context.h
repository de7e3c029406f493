// Where and how an operation runs: passed explicitly, never global.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace glgnn {

// The processor, an NVIDIA GPU, or the faster of both for a table's size.
enum class Device { kCpu, kCuda, kAuto };

// The means of an operation.
struct Context {
  int threads = 1;  // OpenMP threads; results have the same bits for any number
  // On a GPU every repeat has the same bits, but not those of the processor: sums run in another
  // order.
  Device device = Device::kCpu;

  // The same with so many threads.
  Context with_threads(int count) const { return {count, device}; }
};

// A context with every thread OpenMP offers (OMP_NUM_THREADS is honoured), and a GPU where one is
// faster.
Context default_context();

// "cpu", "cuda", "auto"; kUsage names them where it is another word.
Device device_named(std::string_view name);

// The context with the processor or a GPU for a table of this size. Throws, and says what to do,
// where a GPU is asked for and none can be used.
Context resolve_device(const Context& context, int64_t rows, int64_t columns);

// What a resolved context runs on: "cpu", or the name of the GPU.
std::string device_text(const Context& context);

}  // namespace glgnn
