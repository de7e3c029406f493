#include "data/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "core/archive.h"
#include "data/message.h"

namespace glgnn {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPiece = size_t{1} << 18;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ > STDERR_FILENO) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

int open_to_read(const fs::path& path, int flags = 0) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | flags);
  if (file < 0) {
    fail(
        ErrorKind::kIo, {path},
        {"cannot be opened", std::strerror(errno), "a file you may read", "check its permissions"});
  }
  return file;
}

// Appends at most a piece; false at the end.
bool read_piece(int file, std::string& text, const fs::path& path, size_t piece = kPiece) {
  const size_t old = text.size();
  text.resize(old + piece);
  ssize_t got = 0;
  while ((got = ::read(file, text.data() + old, piece)) < 0 && errno == EINTR) {
  }
  if (got < 0) {
    fail(ErrorKind::kIo, {path},
         {"reading failed", std::strerror(errno), "a file that can be read to its end",
          "check the disk and try again"});
  }
  text.resize(old + static_cast<size_t>(got));
  return got > 0;
}

void write_all(int file, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      fail(ErrorKind::kIo, {path},
           {"no room for what is read from a stream", std::strerror(errno),
            "a folder with room for all of it", "name one with the variable TMPDIR"});
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

// The first bytes of a pipe. One that nobody has opened for writing reads as if it were at its end,
// and would keep us waiting for ever if we let it; one whose writer is only slow says "try again",
// and may take its time.
std::string read_first(int pipe, const fs::path& path) {
  constexpr std::chrono::seconds kLongest(10);
  constexpr std::chrono::milliseconds kBetween(20);
  const auto until = std::chrono::steady_clock::now() + kLongest;
  std::string first(kPiece, '\0');
  ssize_t got = 0;
  while ((got = ::read(pipe, first.data(), first.size())) == 0) {
    if (std::chrono::steady_clock::now() > until) {
      fail(ErrorKind::kIo, {path},
           {"a pipe into which nothing writes",
            "no writer for " + std::to_string(kLongest.count()) + " seconds",
            "a program that writes the rows into it", "start that program first"});
    }
    std::this_thread::sleep_for(kBetween);
  }
  ::fcntl(pipe, F_SETFL, ::fcntl(pipe, F_GETFL) & ~O_NONBLOCK);
  first.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return first;
}

void copy_stream(const fs::path& from, const fs::path& to) {
  const Descriptor out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const bool is_standard = from == kStandardInput;
  const Descriptor in(is_standard ? STDIN_FILENO : open_to_read(from, O_NONBLOCK));
  std::string piece = is_standard ? "" : read_first(in.number(), from);
  do {
    write_all(out.number(), piece, to);
    piece.clear();
  } while (read_piece(in.number(), piece, from));
}

}  // namespace

void require_file(const fs::path& path) {
  std::error_code why;
  const auto status = fs::status(path, why);
  if (status.type() == fs::file_type::none) {  // links in a circle, a folder one may not enter
    fail(ErrorKind::kIo, {path},
         {"cannot be opened", why.message(), "a file you may read",
          "check its name, its links and its permissions"});
  }
  if (!fs::exists(status)) {
    fail(ErrorKind::kIo, {path},
         {"no such file", path.string(), "the name of a file that exists",
          "check the spelling and the folder you are in"});
  }
  if (fs::is_directory(status)) {
    fail(ErrorKind::kIo, {path},
         {"a folder where a file belongs", path.string(), "a file", "name a file in it"});
  }
  if (!fs::is_regular_file(status)) {
    fail(ErrorKind::kIo, {path},
         {"not a plain file", fs::is_fifo(status) ? "a pipe" : "a device", "a file",
          "write what it gives into a file first"});
  }
  const Descriptor opened(open_to_read(path));
}

std::string read_bytes(const fs::path& path) {
  require_file(path);
  const Descriptor file(open_to_read(path));
  std::string bytes;
  std::error_code ignored;
  const uintmax_t size = fs::file_size(path, ignored);
  size_t piece = kPiece;
  if (!ignored) {
    piece = std::clamp(static_cast<size_t>(size), size_t{1} << 9, kPiece);  // small for small files
    bytes.reserve(static_cast<size_t>(size) + piece);  // that of a piece at the end
  }
  while (read_piece(file.number(), bytes, path, piece)) {
  }
  return bytes;
}

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

bool is_stream(const fs::path& path) {
  std::error_code ignored;
  return path == kStandardInput || fs::is_fifo(path, ignored);
}

InputFile::InputFile(const fs::path& path, const std::string& extension) : path_(path) {
  if (!is_stream(path)) return;
  std::string folder = (fs::temp_directory_path() / "glgnn-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    fail(ErrorKind::kIo, {folder},
         {"no place for what is read from a stream", folder, "a folder one may write to",
          "name one with the variable TMPDIR"});
  }
  folder_ = folder;
  path_ = folder_ / ((path == kStandardInput ? "stdin" : path.stem().string()) + extension);
  try {
    copy_stream(path, path_);
  } catch (...) {
    remove_copy();
    throw;
  }
}

InputFile::~InputFile() { remove_copy(); }

void InputFile::remove_copy() const {
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

FileParts::FileParts(const std::filesystem::path& path) : path_(path) {
  require_file(path);
  size_ = static_cast<int64_t>(fs::file_size(path));
}

std::string FileParts::bytes(int64_t offset, int64_t count) const {
  std::string bytes(static_cast<size_t>(count), '\0');
  read(bytes.data(), offset, count);
  return bytes;
}

void FileParts::read(void* to, int64_t offset, int64_t count) const {
  const Descriptor file(open_to_read(path_));
  for (int64_t done = 0; done < count;) {
    const ssize_t got = ::pread(file.number(), static_cast<char*>(to) + done,
                                static_cast<size_t>(count - done), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      fail(ErrorKind::kIo, {path_},
           {"cannot be read", counted(done, "byte"), counted(count, "byte"),
            "check that nobody changes the file"});
    }
    done += got;
  }
}

uint64_t FileParts::sample_hash() const {
  constexpr int64_t kParts = 64, kPart = 4096;
  uint64_t sum = fnv1a(&size_, sizeof size_);
  for (int64_t p = 0; p <= kParts; ++p) {
    const int64_t at = std::max<int64_t>(0, size_ - kPart) * p / kParts;
    const std::string part = bytes(at, std::min(kPart, size_));
    sum = fnv1a(part.data(), part.size(), sum);
  }
  return sum;
}

}  // namespace glgnn
