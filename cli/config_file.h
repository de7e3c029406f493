// Settings from a file: a JSON object, or lines NAME = VALUE with # comments.
#pragma once

#include <glgnn/config.h>

#include <string>

namespace glgnn::cli {

void read_config_file(Config& config, const std::string& path);

}  // namespace glgnn::cli
