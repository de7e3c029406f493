#include "report/page.h"

#include <glgnn/error.h>
#include <glgnn/suggest.h>

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "report/explanations.h"
#include "report/report_data.h"

namespace glgnn {
namespace {

constexpr std::string_view kPlace = "@@REPORT_DATA@@";
constexpr int64_t kSuggestions = 10;  // a batch to label; `glgnn suggest` gives more

// Inside a script element only "<" can end it; the two separators end lines in old JavaScript. All
// three occur in JSON's strings alone, where they may be written as numbers.
std::string for_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = std::string_view(json).substr(i, 3);
    if (json[i] == '<') {
      text += "\\u003c";
    } else if (rest == "\xE2\x80\xA8" || rest == "\xE2\x80\xA9") {
      text += rest.back() == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      text += json[i];
    }
  }
  return text;
}

}  // namespace

bool has_page() { return !page_template().empty(); }

std::string page_with_data(std::string_view page, const std::string& json) {
  const size_t place = page.find(kPlace);
  if (place == std::string_view::npos) {
    throw Error(ErrorKind::kUnsupported,
                "the page of this build has no place for the data; build the program again");
  }
  std::string text(page.substr(0, place));
  text += for_script(json);
  text += page.substr(place + kPlace.size());
  return text;
}

void require_page() {
  if (!has_page()) {
    throw Error(ErrorKind::kUnsupported,
                "this program was built without the report's page; configure it with "
                "-DGLGNN_PAGE=ON (needs nodejs and npm) and build again");
  }
}

std::string report_page(const Model& model, const Context& context) {
  require_page();
  const ReportLimits limits;
  Json data = report_data(model, limits);
  data["row_data"]["reasons"] = reasons_json(model, limits, context);
  data["suggestions"] = suggestions_json(model, suggest_rows(model, kSuggestions, context));
  return page_with_data(page_template(), json_text(data));
}

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
