#include "report/text_file.h"

#include <glgnn/error.h>

#include <cerrno>
#include <cstring>

namespace glgnn {

namespace fs = std::filesystem;

TextFile::TextFile(const fs::path& path) : path_(path) {
  if (fs::is_directory(path)) {
    throw Error(ErrorKind::kIo, path.string() + ": is a folder, expected a file to write");
  }
  if (!fs::exists(path) || fs::is_regular_file(path)) {
    file_.emplace(path.string());
  } else {
    device_.open(path, std::ios::binary);
  }
}

void TextFile::write(std::string_view text) {
  if (file_) return file_->write(text);
  if (device_ << text) return;
  throw Error(ErrorKind::kIo, path_.string() + ": cannot be written: " + std::strerror(errno));
}

void TextFile::finish() {
  if (file_) return file_->commit();
  if (device_.flush()) return;
  throw Error(ErrorKind::kIo, path_.string() + ": cannot be written: " + std::strerror(errno));
}

void write_text_file(const fs::path& path, const std::string& text) {
  TextFile file(path);
  file.write(text);
  file.finish();
}

}  // namespace glgnn
