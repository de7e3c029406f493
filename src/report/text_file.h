// Writing a result as a whole: whoever reads the file sees the old text or the new one.
#pragma once

#include <filesystem>
#include <string>

namespace glgnn {

// Written beside, synced and renamed; a path that is no regular file (/dev/stdout) is written to.
void write_text_file(const std::filesystem::path& path, const std::string& text);

}  // namespace glgnn
