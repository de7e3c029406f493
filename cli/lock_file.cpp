#include "lock_file.h"

#include <fcntl.h>
#include <glgnn/error.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace glgnn::cli {
namespace {

// False when the file we opened was removed by the run that held it: then nobody else can see ours.
bool still_there(int file, const std::filesystem::path& path) {
  struct stat opened {
  }, named{};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

LockFile::LockFile(const std::filesystem::path& file, const std::string& what,
                   const std::string& option)
    : path_(file.string() + ".lock") {
  while (true) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) {
      throw Error(ErrorKind::kIo, path_.parent_path().string() +
                                      ": cannot write here: " + std::strerror(errno) +
                                      "; choose another place for the " + what + " with " + option);
    }
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const int code = errno;
      ::close(file_);
      if (code == EWOULDBLOCK) {
        throw Error(ErrorKind::kIo, file.string() + ": another run is writing this " + what +
                                        "; wait for it, or choose another place with " + option);
      }
      throw Error(ErrorKind::kIo, path_.string() + ": cannot lock: " + std::strerror(code));
    }
    if (still_there(file_, path_)) return;
    ::close(file_);
  }
}

LockFile::~LockFile() {
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace glgnn::cli
