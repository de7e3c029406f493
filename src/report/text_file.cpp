#include "report/text_file.h"

#include <glgnn/error.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/archive.h"

namespace glgnn {

namespace fs = std::filesystem;

void write_text_file(const fs::path& path, const std::string& text) {
  if (fs::is_directory(path)) {
    throw Error(ErrorKind::kIo, path.string() + ": is a folder, expected a file to write");
  }
  if (!fs::exists(path) || fs::is_regular_file(path)) {
    return write_file_atomically(path.string(), {&text, 1});
  }
  std::ofstream out(path, std::ios::binary);
  if (!(out << text).flush()) {
    throw Error(ErrorKind::kIo, path.string() + ": cannot be written: " + std::strerror(errno));
  }
}

}  // namespace glgnn
