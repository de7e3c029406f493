// A command line as one can paste it back into a shell.
#pragma once

#include <string>
#include <vector>

namespace glgnn::cli {

std::string shell_words(const std::vector<std::string>& arguments);

}  // namespace glgnn::cli
