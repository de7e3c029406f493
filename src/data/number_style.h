// Numbers as people write them: "1,234.50", "1.234,5", "$ 1200", "12 %", "1:23:45".
#pragma once

#include <glgnn/table.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace glgnn {

// The unit of durations and times of day, "1:23:45" or "08:30", whose numbers are seconds.
inline constexpr const char* kClock = ":";

// Finds out how the numbers of a column are written, from all of its texts.
class StyleFinder {
 public:
  // Any text, or one that is known to be a plain number.
  void add(std::string_view text);
  void add_plain(std::string_view text);

  // The style that most texts fit; where several do, the plainest. `comma_separates`: the file's
  // delimiter is a comma, so that "1,234" was in quotes and means thousands.
  NumberStyle best(bool comma_separates) const;

  // How many texts are numbers in any style.
  int64_t numbers() const { return bare_ + (units_count() ? with_unit_ : 0); }

 private:
  static constexpr size_t kForms = 7;  // pairs of decimal sign and separator of thousands

  bool units_count() const;

  int64_t bare_ = 0, with_unit_ = 0;   // texts
  int64_t whole_ = 0;                  // of those without a unit: fit every form
  std::array<int64_t, kForms> fit_{};  // of the others
  std::array<int64_t, kForms> fit_unit_{};
  std::string unit_;  // of the first text that has one
  bool units_differ_ = false;
};

// A number in this style; its unit may be missing.
bool parse_number(std::string_view text, const NumberStyle& style, double& value);

// 1234.5 as the style writes it: "1.234,5 EUR", "0:20:34.5"; for messages.
std::string number_text(const NumberStyle& style);

// Whether numbers are written as programs do.
inline bool is_plain(const NumberStyle& style) {
  return !style.decimal_comma && style.grouping == 0 && style.unit.empty();
}

}  // namespace glgnn
