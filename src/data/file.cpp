#include "data/file.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "data/message.h"

namespace glgnn {

void require_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) {
    fail(ErrorKind::kIo, {path},
         {"no such file", path.string(), "the name of a file that exists",
          "check the spelling and the folder you are in"});
  }
  if (std::filesystem::is_directory(status)) {
    fail(ErrorKind::kIo, {path},
         {"a folder where a file belongs", path.string(), "a file", "name a file in it"});
  }
  if (!std::ifstream(path, std::ios::binary)) {
    fail(ErrorKind::kIo, {path},
         {"cannot be opened", path.string(), "a file you may read", "check its permissions"});
  }
}

std::string read_bytes(const std::filesystem::path& path) {
  require_file(path);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  if (in.bad()) {
    fail(ErrorKind::kIo, {path},
         {"reading failed", path.string(), "a file that can be read to its end",
          "check the disk and try again"});
  }
  return std::move(out).str();
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::istringstream in(read_bytes(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

StandardInput::StandardInput(const std::string& extension) {
  std::string folder = (std::filesystem::temp_directory_path() / "glgnn-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    fail(ErrorKind::kIo, {folder},
         {"no place for the standard input", folder, "a folder one may write to",
          "name one with the variable TMPDIR"});
  }
  path_ = std::filesystem::path(folder) / ("stdin" + extension);
  std::ofstream(path_, std::ios::binary) << std::cin.rdbuf();
}

StandardInput::~StandardInput() {
  std::error_code ignored;
  std::filesystem::remove_all(path_.parent_path(), ignored);
}

}  // namespace glgnn
