#include "report/xml_text.h"

#include <cstdint>

namespace glgnn {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD

struct Character {
  size_t bytes = 1;
  bool allowed = false;  // by XML 1.0
};

bool allowed_in_xml(uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code <= 0xD7FF || (code >= 0xE000 && code <= 0xFFFD) ||
         (code >= 0x10000 && code <= 0x10FFFF);
}

// The first character of `text`; one byte that is not allowed where there is no valid UTF-8.
Character first_character(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {1, allowed_in_xml(lead)};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  uint32_t code = lead & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  // A character written with more bytes than it needs is not UTF-8.
  const uint32_t smallest = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  if (code < smallest) return {};
  return {bytes, allowed_in_xml(code)};
}

// The reference that stands for a character of the markup; null for all others. Line ends and tabs
// would be changed to spaces by a reader.
const char* reference(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\t':
      return "&#9;";
    case '\n':
      return "&#10;";
    case '\r':
      return "&#13;";
    default:
      return nullptr;
  }
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!character.allowed) {
      out += kReplacement;
    } else if (const char* const escaped = reference(text[0])) {
      out += escaped;
    } else {
      out += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

}  // namespace glgnn
