#include "report/machine.h"

#include <glgnn/error.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>

// OpenBLAS tells its build by this function; null when another BLAS is linked.
extern "C" __attribute__((weak)) char* openblas_get_config();

namespace glgnn {
namespace {

constexpr int64_t kMegabyte = 1 << 20;

// The number behind `key` in a file of "key number" or "key: number kB" lines.
std::optional<int64_t> number_after(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string word; in >> word;) {
    int64_t number = 0;
    if (word == key && in >> number) return number;
  }
  return std::nullopt;
}

std::optional<int64_t> number_in(const char* file) {
  std::ifstream in(file);
  int64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

struct ContainerFiles {
  const char *limit, *used, *stat, *reclaimable;
};

constexpr ContainerFiles kContainers[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat",
     "inactive_file"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
     "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file"},
};

// $GLGNN_MEMORY_LIMIT_MB: for tests, and for those who share a machine.
std::optional<int64_t> limit_of_environment() {
  const char* text = std::getenv("GLGNN_MEMORY_LIMIT_MB");
  if (!text) return std::nullopt;
  const std::string_view view(text);
  int64_t megabytes = 0;
  const auto [end, code] = std::from_chars(view.data(), view.data() + view.size(), megabytes);
  if (code != std::errc() || end != view.data() + view.size() || megabytes < 0) {
    throw Error(ErrorKind::kUsage, "GLGNN_MEMORY_LIMIT_MB: found \"" + std::string(view) +
                                       "\", expected a whole number of megabytes");
  }
  return megabytes * kMegabyte;
}

}  // namespace

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
  if (!openblas_get_config) return "none or another BLAS";
  std::string text = openblas_get_config();
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::optional<int64_t> available_memory() {
  if (const auto limit = limit_of_environment()) return limit;
  std::optional<int64_t> available;
  if (const auto kilobytes = number_after("/proc/meminfo", "MemAvailable:")) {
    available = *kilobytes * 1024;
  }
  for (const auto& files : kContainers) {
    const auto limit = number_in(files.limit), used = number_in(files.used);
    if (!limit || !used) continue;
    const int64_t kept = *used - number_after(files.stat, files.reclaimable).value_or(0);
    const int64_t left = std::max<int64_t>(0, *limit - kept);
    available = std::min(available.value_or(left), left);
  }
  return available;
}

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace glgnn
