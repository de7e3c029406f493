#include <algorithm>
#include <cstdlib>

#include "core/share_folder.h"
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
  return share_folder("data");
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
