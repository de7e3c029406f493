// One writer at a time: a lock file beside what is written, gone when its run ends.
#pragma once

#include <filesystem>
#include <string>

namespace glgnn::cli {

class LockFile {
 public:
  // Throws kIo when another run holds the lock of `file`, or when its folder cannot be written.
  // `what` the file is, and the option that moves it, are for the text.
  explicit LockFile(const std::filesystem::path& file, const std::string& what = "model",
                    const std::string& option = "--out");
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

}  // namespace glgnn::cli
