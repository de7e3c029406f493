// Text that is not UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace glgnn {

bool is_utf8(std::string_view bytes);

// Windows-1252, of which Latin-1 is a part, as UTF-8.
std::string from_windows_1252(std::string_view bytes);

}  // namespace glgnn
