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

}  // namespace glgnn
