#include "fuzz/targets.h"

#include <fcntl.h>
#include <glgnn/error.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace glgnn::fuzz {
namespace {

class Folder {
 public:
  Folder() {
    const bool in_memory = std::filesystem::is_directory("/dev/shm");
    std::string pattern = std::string(in_memory ? "/dev/shm" : "/tmp") + "/glgnn-fuzz-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace

std::string input_path(const std::string& name) {
  static const Folder folder;
  return folder.path(name);
}

// A file stays open and is written over: to make it anew takes longer than to read it. What was
// run may have put another in its place.
std::string write_input(const std::string& name, std::string_view bytes) {
  static std::map<std::string, int> files;
  const std::string path = input_path(name);
  int& file = files.try_emplace(name, -1).first->second;
  struct stat now;
  if (file < 0 || ::fstat(file, &now) != 0 || now.st_nlink == 0) {
    if (file >= 0) ::close(file);
    file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
  const auto size = static_cast<ssize_t>(bytes.size());
  if (::pwrite(file, bytes.data(), bytes.size(), 0) != size) std::abort();
  if (::ftruncate(file, size) != 0) std::abort();
  return path;
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const Target* find_target(std::string_view name) {
  for (const auto targets : {reader_targets(), model_targets()}) {
    for (const Target& target : targets) {
      if (target.name == name) return &target;
    }
  }
  return nullptr;
}

void run_target(const Target& target, std::string_view bytes) {
  try {
    target.run(bytes);
  } catch (const Error& error) {
    constexpr std::string_view kWords =
        "out of memory while reading";  // which the file may say itself
    const bool is_short = std::string_view(error.what()).find(kWords) != std::string_view::npos;
    if (!is_short || bytes.find(kWords) != std::string_view::npos) return;
    std::fprintf(stderr, "%s: %s\n", target.name, error.what());
    std::abort();
  }
}

}  // namespace glgnn::fuzz
