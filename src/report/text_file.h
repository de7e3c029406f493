// Writing a result as a whole: whoever reads the file sees the old text or the new one.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "core/new_file.h"

namespace glgnn {

// Written beside, synced and renamed; a path that is no regular file (/dev/stdout) is written to.
void write_text_file(const std::filesystem::path& path, const std::string& text);

// The same for a text that comes in pieces; without finish() no file is left behind. No path means
// the standard output.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path);

  void write(std::string_view text);
  void finish();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::optional<NewFile> file_;
  std::ofstream device_;
};

}  // namespace glgnn
