// Matrix Market files (.mtx): coordinate or array, real, integer or pattern.
#pragma once

#include <glgnn/dataset.h>

#include <filesystem>

namespace glgnn {

// The matrix as features, sparse if its file is in coordinates. Entries given twice are added.
Features read_mtx(const std::filesystem::path& path);

}  // namespace glgnn
