// How much memory there is to take: of the machine, of the container, of the process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace glgnn {

// Bytes a new allocation could get now: the least of what the machine, each control group we are in
// and `ulimit -v` leave, or what $GLGNN_MEMORY_LIMIT_MB says. Nothing where none is known.
std::optional<int64_t> available_memory();

// What the control groups leave to the process whose /proc/.../cgroup file is given, version 1 or
// 2, with all groups above its own; `mounted` is /sys/fs/cgroup.
std::optional<int64_t> left_in_groups(const std::filesystem::path& cgroup_file,
                                      const std::filesystem::path& mounted);

// What `ulimit -v` leaves of the address space.
std::optional<int64_t> left_of_address_space();

}  // namespace glgnn
