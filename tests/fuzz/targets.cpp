#include "fuzz/targets.h"

#include <glgnn/error.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

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

std::string write_input(const std::string& name, std::string_view bytes) {
  const std::string path = input_path(name);
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
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
