// Files that come with the program or the library, wherever they were put.
#pragma once

#include <filesystem>
#include <string>

namespace glgnn {

// share/glgnn/NAME of the first folder above the running program, or above the shared library this
// code is part of, that has it; else of the place this was configured to be installed to. No path
// of the place it was built in is kept: an installed tree may be moved.
std::filesystem::path share_folder(const std::string& name);

}  // namespace glgnn
