#include "core/new_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <glgnn/error.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
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

constexpr std::string_view kEnding = ".new.";

// The number of the process that writes this file, 0 where the name is not one of ours.
pid_t writer_of(std::string_view name, std::string_view target) {
  if (!name.starts_with(target)) return 0;
  name.remove_prefix(target.size());
  if (!name.starts_with(kEnding)) return 0;
  name.remove_prefix(kEnding.size());
  pid_t process = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), process);
  return fault == std::errc() && end == name.data() + name.size() ? process : 0;
}

// Whether nobody writes this file any more. A process of another machine has no number here, but
// holds its lock.
bool is_abandoned(const std::filesystem::path& file, pid_t process) {
  if (process == ::getpid()) return true;
  if (process <= 0 || ::kill(process, 0) == 0 || errno != ESRCH) return false;
  const int opened = ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (opened < 0) return errno == ELOOP;
  const bool unlocked = ::flock(opened, LOCK_EX | LOCK_NB) == 0;
  ::close(opened);
  return unlocked;
}

// What a process that was killed left beside `place`, and whatever has the name that is ours now.
void remove_abandoned(const std::filesystem::path& place) {
  const std::filesystem::path folder = place.has_parent_path() ? place.parent_path() : ".";
  const std::string target = place.filename().string();
  // Not directory_iterator: it ends the process where memory is short.
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  while (const dirent* entry = opened ? ::readdir(opened.get()) : nullptr) {
    const pid_t process = writer_of(entry->d_name, target);
    const std::filesystem::path file = folder / entry->d_name;
    if (process != 0 && is_abandoned(file, process)) ::unlink(file.c_str());
  }
}

}  // namespace

std::string name_beside(const std::string& path) {
  const std::string place = place_of(path);
  remove_abandoned(place);
  return place + std::string(kEnding) + std::to_string(::getpid());
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
  file_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file_ < 0) io_error(path_, "cannot be created", errno);
  ::flock(file_, LOCK_EX | LOCK_NB);  // says that it is being written
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
  constexpr int64_t kAtOnce = 1 << 23;
  while (!bytes.empty()) {
    const ssize_t n = ::write(file_, bytes.data(), std::min<size_t>(bytes.size(), kAtOnce));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      io_error(path_, "cannot be written (what was there before stays as it was)", errno);
    }
    bytes.remove_prefix(static_cast<size_t>(n));
    written_ += n;
    if (written_ - on_their_way_ < kAtOnce) continue;
#ifdef SYNC_FILE_RANGE_WRITE
    // To the disk already while the next is written; commit() waits for all.
    ::sync_file_range(file_, on_their_way_, written_ - on_their_way_, SYNC_FILE_RANGE_WRITE);
#endif
    on_their_way_ = written_;
  }
}

void NewFile::sync() {
  if (::fdatasync(file_) != 0) io_error(path_, "cannot be synced to disk", errno);
}

void NewFile::write_start(std::string_view bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n =
        ::pwrite(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      io_error(path_, "cannot be written (what was there before stays as it was)", errno);
    }
    done += static_cast<size_t>(n);
  }
}

void NewFile::commit() {
  if (::fsync(file_) != 0) io_error(path_, "cannot be synced to disk", errno);
  close();
  put_in_place(beside_, path_);
}

}  // namespace glgnn
