// One writer at a time: a lock file beside the model, gone when its run ends.
#pragma once

#include <filesystem>

namespace glgnn::cli {

class LockFile {
 public:
  // Throws kIo when another run holds the lock of `model`, or when its folder cannot be written.
  explicit LockFile(const std::filesystem::path& model);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace glgnn::cli
