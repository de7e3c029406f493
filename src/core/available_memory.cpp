#include "core/available_memory.h"

#include <glgnn/error.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace glgnn {
namespace {

namespace fs = std::filesystem;
using Bytes = std::optional<int64_t>;

constexpr int64_t kMegabyte = 1 << 20;

Bytes least(Bytes a, Bytes b) { return a && b ? std::min(a, b) : a ? a : b; }

// The number behind `key` in a file of "key number" or "key: number kB" lines.
Bytes number_after(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string word; in >> word;) {
    int64_t number = 0;
    if (word == key && in >> number) return number;
  }
  return std::nullopt;
}

Bytes number_in(const fs::path& file) {
  std::ifstream in(file);
  int64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

struct GroupFiles {
  const char *folder, *limit, *used, *reclaimable;
};

constexpr GroupFiles kVersion1{"memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file"};
constexpr GroupFiles kVersion2{"", "memory.max", "memory.current", "inactive_file"};

Bytes left_in_group(const fs::path& group, const GroupFiles& files) {
  const Bytes limit = number_in(group / files.limit), used = number_in(group / files.used);
  if (!limit || !used) return std::nullopt;
  const int64_t kept = *used - number_after(group / "memory.stat", files.reclaimable).value_or(0);
  return std::max<int64_t>(0, *limit - kept);
}

// The least of the group and of all above it: any of them may be the narrow one.
Bytes left_in_path(const fs::path& mounted, std::string_view group, const GroupFiles& files) {
  const fs::path top = mounted / files.folder;
  Bytes left = left_in_group(top, files);
  fs::path at = top;
  for (const fs::path& part : fs::path(group).relative_path()) {
    at /= part;
    left = least(left, left_in_group(at, files));
  }
  return left;
}

// $GLGNN_MEMORY_LIMIT_MB: for tests, and for those who share a machine.
Bytes limit_of_environment() {
  const char* text = std::getenv("GLGNN_MEMORY_LIMIT_MB");
  if (!text) return std::nullopt;
  const std::string_view view(text);
  int64_t megabytes = 0;
  const auto [end, code] = std::from_chars(view.data(), view.data() + view.size(), megabytes);
  const bool whole = code == std::errc() && end == view.data() + view.size();
  if (!whole || megabytes < 0 || megabytes > INT64_MAX / kMegabyte) {
    throw Error(ErrorKind::kUsage, "GLGNN_MEMORY_LIMIT_MB: found \"" + std::string(view) +
                                       "\", expected a whole number of megabytes");
  }
  return megabytes * kMegabyte;
}

}  // namespace

// Lines of the file: "0::/path" of version 2, "7:memory:/path" of version 1. A container may see
// only the top of its own groups, under which the path does not exist.
Bytes left_in_groups(const fs::path& cgroup_file, const fs::path& mounted) {
  Bytes left = least(left_in_path(mounted, "", kVersion2), left_in_path(mounted, "", kVersion1));
  std::ifstream in(cgroup_file);
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string kinds = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (kinds == ",,") left = least(left, left_in_path(mounted, group, kVersion2));
    if (kinds.find(",memory,") != std::string::npos) {
      left = least(left, left_in_path(mounted, group, kVersion1));
    }
  }
  return left;
}

Bytes left_of_address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const int64_t used = number_in("/proc/self/statm").value_or(0) * ::sysconf(_SC_PAGESIZE);
  return std::max<int64_t>(0, static_cast<int64_t>(limit.rlim_cur) - used);
}

Bytes available_memory() {
  if (const Bytes limit = limit_of_environment()) return limit;
  Bytes available = number_after("/proc/meminfo", "MemAvailable:");
  if (available) *available *= 1024;
  available = least(available, left_in_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
  return least(available, left_of_address_space());
}

}  // namespace glgnn
