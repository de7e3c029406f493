#include "core/share_folder.h"

#include <dlfcn.h>

#include <array>

namespace glgnn {
namespace {

namespace fs = std::filesystem;

fs::path running_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

// The shared library with this code; the program, as it was called, where it is linked in.
fs::path own_library() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<void*>(&share_folder), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::error_code ignored;
  return fs::weakly_canonical(info.dli_fname, ignored);
}

}  // namespace

fs::path share_folder(const std::string& name) {
  const fs::path inside = fs::path("share") / "glgnn" / name;
  for (const fs::path& start : std::array{running_program(), own_library()}) {
    for (fs::path folder = start.parent_path(); folder.has_relative_path();
         folder = folder.parent_path()) {
      std::error_code ignored;
      if (fs::is_directory(folder / inside, ignored)) return folder / inside;
    }
  }
  return fs::path(GLGNN_INSTALL_PREFIX) / inside;
}

}  // namespace glgnn
