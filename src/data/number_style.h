// Numbers as people write them: "1,234.50", "1.234,5", "$ 1200", "12 %", "1:23:45".
#pragma once

#include <glgnn/table.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace glgnn {

// Units of durations and times of day, "1:23:45", "08:30" or "8:30 PM", whose numbers are seconds:
// by what two numbers are, or none where only three are clear. Models of before have kClock for
// all, and two numbers as 60 times the first and the second.
inline constexpr const char* kHours = "h:mm";
inline constexpr const char* kMinutes = "m:ss";
inline constexpr const char* kThreeParts = "h:mm:ss";
inline constexpr const char* kClock = ":";
// Each number has a suffix of its own that multiplies it, or none: "700", "1.2k", "3M".
inline constexpr const char* kMultiples = "k, M";
// Each number has one of two sides behind it, of which the second is below zero: "40.5N", "3° S".
inline constexpr const char* kNorthSouth = "N, S";
inline constexpr const char* kEastWest = "E, W";

// What a comma and a point in a number can mean, by what else is in its file.
enum class SignUse { kThousands, kDecimals, kUnclear };
struct SignUses {
  SignUse comma = SignUse::kUnclear, point = SignUse::kUnclear;
};

// Finds out how the numbers of a column are written, from all of its texts.
class StyleFinder {
 public:
  // Any text, or one that is known to be a plain number.
  void add(std::string_view text);
  void add_plain(std::string_view text);

  // The style that most texts fit; where several do, the plainest, in which "1,234" and "1.234" are
  // what their signs are used for.
  NumberStyle best(SignUses signs) const;

  // How many texts are numbers in any style.
  int64_t numbers() const;

  // Whether some have another unit than most.
  bool units_differ() const;

  // Whether there are numbers such as 1.5 or 1,5 that tell which sign begins the decimals.
  bool shows_point() const { return points_ > 0; }
  bool shows_comma() const { return commas_ > 0; }
  // "<0.5" and the like, which are read as their number where most others are numbers.
  int64_t bounds() const { return bounds_ < bare_ + with_unit_ ? bounds_ : 0; }
  const std::string& first_bound() const { return first_bound_; }
  // Only numbers such as 1.234 and 56, where the point may separate thousands.
  bool may_group_points() const { return points_ == 0 && point_groups_ > 0 && whole_ > 0; }

 private:
  static constexpr size_t kForms = 7;  // pairs of decimal sign and separator of thousands
  using Counts = std::array<int64_t, kForms>;

  bool count_forms(std::string_view text, Counts& counts);
  int64_t with_unit(const std::string& unit) const;
  bool has_one_currency() const;
  std::string sides() const;
  std::string unit() const;

  int64_t bare_ = 0, with_unit_ = 0;      // texts
  int64_t whole_ = 0;                     // of those without a unit: fit every form
  Counts fit_{}, fit_unit_{};             // of the others
  int64_t points_ = 0, commas_ = 0;       // texts that fit forms of one decimal sign alone
  int64_t point_groups_ = 0;              // texts such as 1.234 and 1.234.567
  std::map<std::string, int64_t> units_;  // texts of the first units, as they are written
  int64_t bounds_ = 0;                    // texts
  std::string first_bound_;
  std::string currency_;  // before numbers with a suffix that multiplies
  bool currencies_differ_ = false;
  int64_t multiples_ = 0;       // of the texts with a unit, those whose suffix multiplies
  bool has_thousands_ = false;  // k or M is among them
  bool has_half_days_ = false, has_two_parts_ = false, has_fractions_ = false;
  double longest_two_parts_ = 0, longest_ = 0;  // clocks: two parts as minutes and seconds
};

// Whether a number without this unit means something else: 0.5 among percent, 90 among clocks.
bool needs_unit(const std::string& unit);

// "kg" and "KG", "hour" and "hours", "m2" and "m²", all clocks; but "mW" is not "MW".
bool same_unit(const std::string& a, const std::string& b);

// A number in this style; its unit may be missing unless it is needed.
bool parse_number(std::string_view text, const NumberStyle& style, double& value);

// A number as the style writes it: "1.234,5 EUR", "0:20:34.5"; for messages.
std::string number_text(const NumberStyle& style);

// Seconds as the clocks of this unit show them: "19:14", "59:30.25"; empty where it is not clear.
std::string clock_text(double seconds, const std::string& unit);

// Whether numbers are written as programs do.
inline bool is_plain(const NumberStyle& style) {
  return !style.decimal_comma && style.grouping == 0 && style.unit.empty();
}

}  // namespace glgnn
