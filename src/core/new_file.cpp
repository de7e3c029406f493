#include "core/new_file.h"

#include <fcntl.h>
#include <glgnn/error.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace glgnn {
namespace {

[[noreturn]] void io_error(const std::string& path, const std::string& what, int code) {
  throw Error(ErrorKind::kIo, path + ": " + what + ": " + std::strerror(code));
}

// The rename itself must reach the disk too; a file system that cannot sync folders is no error.
void sync_folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  const int parent = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (parent < 0) return;
  ::fsync(parent);
  ::close(parent);
}

// Where the file really is: a link stays a link, what it points to is replaced. A device is never
// replaced by a file.
std::string place_of(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return path;
  if (!std::filesystem::is_regular_file(path, none)) {
    throw Error(ErrorKind::kIo, path + ": is no regular file, and must not be replaced by one");
  }
  if (!std::filesystem::is_symlink(path, none)) return path;
  return std::filesystem::canonical(path).string();
}

}  // namespace

std::string name_beside(const std::string& path) {
  return place_of(path) + ".new." + std::to_string(::getpid());
}

void sync_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int code = file >= 0 && ::fsync(file) == 0 ? 0 : errno;
  if (file >= 0) ::close(file);
  if (code != 0) io_error(path, "cannot be synced to disk", code);
}

void put_in_place(const std::string& beside, const std::string& path) {
  if (::rename(beside.c_str(), place_of(path).c_str()) != 0) {
    const int code = errno;
    ::unlink(beside.c_str());
    io_error(path, "cannot be replaced", code);
  }
  sync_folder_of(path);
}

NewFile::NewFile(std::string path) : path_(std::move(path)), beside_(name_beside(path_)) {
  file_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) io_error(path_, "cannot be created", errno);
}

NewFile::~NewFile() {
  if (file_ < 0) return;
  close();
  ::unlink(beside_.c_str());
}

void NewFile::close() {
  ::close(file_);
  file_ = -1;
}

void NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      io_error(path_, "cannot be written (what was there before stays as it was)", errno);
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void NewFile::commit() {
  if (::fsync(file_) != 0) io_error(path_, "cannot be synced to disk", errno);
  close();
  put_in_place(beside_, path_);
}

}  // namespace glgnn
