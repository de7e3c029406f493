#include "report/base64.h"

#include <bit>
#include <cstdint>

namespace glgnn {

static_assert(std::endian::native == std::endian::little, "base64_of takes the bytes as they lie");

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t left = bytes.size() - i;
    const uint32_t three = uint32_t{bytes[i]} << 16 | (left > 1 ? uint32_t{bytes[i + 1]} << 8 : 0) |
                           (left > 2 ? uint32_t{bytes[i + 2]} : 0);
    text += kDigits[three >> 18];
    text += kDigits[three >> 12 & 63];
    text += left > 1 ? kDigits[three >> 6 & 63] : '=';
    text += left > 2 ? kDigits[three & 63] : '=';
  }
  return text;
}

}  // namespace glgnn
