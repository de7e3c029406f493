// Files that are not read: what they are, by their first bytes or their name, and what to do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace glgnn {

// Throws where what should be text begins as a file of another kind does.
void check_is_text(std::string_view begin, const std::filesystem::path& path);

// How a file with this extension becomes one that is read; empty where nobody knows.
std::string how_to_convert(std::string_view extension);

}  // namespace glgnn
