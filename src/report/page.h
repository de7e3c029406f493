// The report as one file that opens in a browser without a network.
#pragma once

#include <glgnn/context.h>
#include <glgnn/model.h>

#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace glgnn {

// Whether this build has the page (option GLGNN_PAGE).
bool has_page();

// kUnsupported, with how to get it, where the build has none.
void require_page();

// The whole HTML text for a model with its data (keep_data); see require_page().
std::string report_page(const Model& model, const Context& context = default_context());

// `page` with `json` in the place for the data, so that no text in it can end the script it is in.
std::string page_with_data(std::string_view page, const std::string& json);

// The built page of web/, as it lies in the program.

// Empty where the program was built with GLGNN_PAGE=OFF.
std::string_view page_template();

// Arrays of numbers as text: half the length of digits, and read at once.

// The bytes as base64, padded.
std::string base64(std::span<const unsigned char> bytes);

// The numbers' bytes, lowest first, as base64.
template <class T>
std::string base64_of(std::span<const T> numbers) {
  static_assert(std::is_arithmetic_v<T>);
  return base64({reinterpret_cast<const unsigned char*>(numbers.data()), numbers.size_bytes()});
}

}  // namespace glgnn
