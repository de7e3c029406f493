#include "report/text_file.h"

#include <glgnn/error.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace glgnn {

namespace fs = std::filesystem;

namespace {

// Also where the standard output is a regular file: /dev/stdout is then a link to one, which is
// written on, not replaced.
bool is_device(const fs::path& path) {
  const std::string text = fs::absolute(path).lexically_normal().string();
  return text.starts_with("/dev/") || text.starts_with("/proc/") ||
         (fs::exists(path) && !fs::is_regular_file(path));
}

}  // namespace

TextFile::TextFile(const fs::path& path) : path_(path) {
  if (path.empty()) return;
  if (fs::is_directory(path)) {
    throw Error(ErrorKind::kIo, path.string() + ": is a folder, expected a file to write");
  }
  if (is_device(path)) {
    device_.open(path, std::ios::binary | std::ios::app);
  } else {
    file_.emplace(path.string());
  }
}

void TextFile::write(std::string_view text) {
  if (file_) return file_->write(text);
  if (path_.empty() ? std::fwrite(text.data(), 1, text.size(), stdout) == text.size()
                    : static_cast<bool>(device_ << text)) {
    return;
  }
  fail();
}

void TextFile::finish() {
  if (file_) return file_->commit();
  if (path_.empty() ? std::fflush(stdout) == 0 : static_cast<bool>(device_.flush())) return;
  fail();
}

void TextFile::fail() const {
  const std::string where =
      path_.empty() ? "cannot write the output: " : path_.string() + ": cannot be written: ";
  throw Error(ErrorKind::kIo, where + std::strerror(errno));
}

void write_text_file(const fs::path& path, const std::string& text) {
  TextFile file(path);
  file.write(text);
  file.finish();
}

}  // namespace glgnn
