// Which program this is.
#pragma once

#include <string>

namespace glgnn {

std::string version();  // "0.2.0"
std::string commit();   // what it was built from, or "unknown"

}  // namespace glgnn
