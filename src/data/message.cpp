#include "data/message.h"

#include <algorithm>

namespace glgnn {

std::string printable(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool is_high = byte == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F
    out += byte < 0x20 || byte == 0x7F || is_high ? '?' : text[i];
    i += is_high;
  }
  return out;
}

std::string Place::text() const {
  return line > 0 ? file.string() + ":" + std::to_string(line) : file.string();
}

void fail(ErrorKind kind, const Place& place, const Complaint& complaint) {
  throw Error(kind, place.text() + ": " + complaint.wrong + ": found " + quote(complaint.found) +
                        ", expected " + complaint.expected + "; " + complaint.repair);
}

std::string shortened(std::string_view text) {
  constexpr size_t kLongest = 100;
  size_t end = std::min(text.size(), kLongest);
  // A cut inside a UTF-8 character would print as rubbish: go back to where it starts.
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return printable(text.substr(0, end)) + (end < text.size() ? "…" : "");
}

std::string quote(std::string_view text) { return "\"" + shortened(text) + "\""; }

std::string counted(int64_t number, const std::string& noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& items, size_t limit) {
  std::string out;
  for (size_t i = 0; i < std::min(limit, items.size()); ++i) {
    out += (i == 0 ? "" : ", ") + shortened(items[i]);
  }
  if (items.size() > limit) out += " and " + std::to_string(items.size() - limit) + " more";
  return out;
}

}  // namespace glgnn
