// Whole files in memory, with errors a person can act on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace glgnn {

// Throws kIo if `path` is not a file that can be opened.
void require_file(const std::filesystem::path& path);

std::string read_bytes(const std::filesystem::path& path);

// The lines of a text file without their ends; a last empty line does not count.
std::vector<std::string> read_lines(const std::filesystem::path& path);

// The extension in lower case, with its dot.
std::string extension_of(const std::filesystem::path& path);

// The standard input as a file that can be read several times: stdin.EXTENSION in a folder of its
// own, which is removed at the end.
class StandardInput {
 public:
  explicit StandardInput(const std::string& extension);
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace glgnn
