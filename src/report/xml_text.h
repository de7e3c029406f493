// Any text inside an XML document.
#pragma once

#include <string>
#include <string_view>

namespace glgnn {

// `text` as content or as a value in double quotes. What XML cannot hold (control characters, bytes
// that are no UTF-8) becomes U+FFFD.
std::string xml_text(std::string_view text);

}  // namespace glgnn
