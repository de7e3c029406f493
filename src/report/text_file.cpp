#include "report/text_file.h"

#include <fcntl.h>
#include <glgnn/error.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace glgnn {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& path, int code) {
  throw Error(ErrorKind::kIo, path.string() + ": cannot write: " + std::strerror(code) +
                                  "; choose another place with --out");
}

// 0, or the errno of the first thing that failed.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

void write_text_file(const fs::path& path, std::string_view text) {
  const bool in_place = fs::exists(path) && !fs::is_regular_file(path);
  const fs::path target = in_place ? path : fs::path(path.string() + ".part");
  const int file = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) cannot_write(path, errno);
  int code = write_all(file, text);
  if (code == 0 && !in_place && ::fsync(file) != 0) code = errno;
  if (::close(file) != 0 && code == 0) code = errno;
  if (code == 0 && !in_place && ::rename(target.c_str(), path.c_str()) != 0) code = errno;
  if (code == 0) return;
  if (!in_place) ::unlink(target.c_str());
  cannot_write(path, code);
}

}  // namespace glgnn
