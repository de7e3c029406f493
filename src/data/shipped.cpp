#include <algorithm>
#include <cstdlib>

#include "data/formats.h"
#include "data/message.h"

namespace glgnn {

std::vector<std::string> shipped_datasets() {
  return {"wine", "cancer", "digits", "citeseer", "cora", "20news", "fma46"};
}

std::filesystem::path shipped_folder() {
  if (const char* const given = std::getenv("GLGNN_DATA"); given != nullptr && *given != '\0') {
    return given;
  }
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto installed = program.parent_path().parent_path() / "share" / "glgnn" / "data";
  if (std::filesystem::is_directory(installed, ignored)) return installed;
  return GLGNN_DATA_DIR;
}

DatasetCard shipped_card(const std::string& name) {
  const std::vector<std::string> names = shipped_datasets();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw Error(ErrorKind::kUsage,
                name + ": no such shipped dataset; there are " + listed(names, names.size()));
  }
  return read_card(shipped_folder() / name);
}

}  // namespace glgnn
