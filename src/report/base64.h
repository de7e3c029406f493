// Arrays of numbers as text: half the length of digits, and read at once.
#pragma once

#include <span>
#include <string>
#include <type_traits>

namespace glgnn {

// The bytes as base64, padded.
std::string base64(std::span<const unsigned char> bytes);

// The numbers' bytes, lowest first, as base64.
template <class T>
std::string base64_of(std::span<const T> numbers) {
  static_assert(std::is_arithmetic_v<T>);
  return base64({reinterpret_cast<const unsigned char*>(numbers.data()), numbers.size_bytes()});
}

}  // namespace glgnn
