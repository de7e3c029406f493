#include "report/machine.h"

#include <glgnn/error.h>
#include <sys/resource.h>

#include <fstream>

#include "core/blas_library.h"

namespace glgnn {

std::string cpu_name() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name")) continue;
    const size_t start = line.find(": ");
    if (start != std::string::npos) return line.substr(start + 2);
  }
#if defined(__aarch64__)
  return "aarch64";
#elif defined(__x86_64__)
  return "x86-64";
#else
  return "unknown";
#endif
}

std::string simd_target() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw")) return "AVX-512";
  if (__builtin_cpu_supports("avx2")) return "AVX2";
  if (__builtin_cpu_supports("sse4.2")) return "SSE4";
  return "SSE2";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "scalar";
#endif
}

std::string blas_name() {
  try {
    const auto get_config = reinterpret_cast<char* (*)()>(blas_function("openblas_get_config"));
    std::string text = get_config();
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  } catch (const Error& error) {
    return std::string("none: ") + error.what();
  }
}

// getrusage() counts what was there before exec, too: the memory of who started this process.
double peak_memory_mb() {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;) {
    double kilobytes = 0;
    if (word == "VmHWM:" && in >> kilobytes) return kilobytes / 1024;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

std::string version() { return GLGNN_VERSION; }

std::string commit() { return GLGNN_COMMIT; }

}  // namespace glgnn
