#include "data/text_encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace glgnn {
namespace {

constexpr uint32_t kUnknown = 0xFFFD;

// What the bytes 0x80 to 0x9F mean; the others are the characters of their own number.
constexpr std::array<uint32_t, 32> kHighControls{
    0x20AC,   kUnknown, 0x201A, 0x0192, 0x201E, 0x2026,   0x2020, 0x2021,
    0x02C6,   0x2030,   0x0160, 0x2039, 0x0152, kUnknown, 0x017D, kUnknown,
    kUnknown, 0x2018,   0x2019, 0x201C, 0x201D, 0x2022,   0x2013, 0x2014,
    0x02DC,   0x2122,   0x0161, 0x203A, 0x0153, kUnknown, 0x017E, 0x0178};

void append_utf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// The bytes of the character that begins with this one; 0 where none does.
size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  const auto is_follower = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (!bytes.empty()) {
    const size_t length = length_of(static_cast<unsigned char>(bytes[0]));
    if (length == 0 || length > bytes.size()) return false;
    const std::string_view followers = bytes.substr(1, length - 1);
    if (!std::all_of(followers.begin(), followers.end(), is_follower)) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string from_windows_1252(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    append_utf8(out, byte >= 0x80 && byte < 0xA0 ? kHighControls[byte - 0x80] : byte);
  }
  return out;
}

}  // namespace glgnn
