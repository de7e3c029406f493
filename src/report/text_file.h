// Writing a result as a whole: whoever reads the file sees the old text or the new one.
#pragma once

#include <filesystem>
#include <string_view>

namespace glgnn {

// Written beside, synced and renamed; a path that is not a regular file (/dev/stdout) is written
// to.
void write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace glgnn
