// The built page of web/, as it lies in the program.
#pragma once

#include <string_view>

namespace glgnn {

// Empty where the program was built with GLGNN_PAGE=OFF.
std::string_view page_template();

}  // namespace glgnn
