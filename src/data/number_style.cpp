#include "data/number_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/dates.h"
#include "data/text_rows.h"
#include "data/values.h"

namespace glgnn {
namespace {

struct Form {
  bool decimal_comma;
  char grouping;
};

constexpr std::array<Form, 7> kAllForms{
    {{false, 0}, {true, 0}, {false, ','}, {true, '.'}, {false, '\''}, {false, ' '}, {true, ' '}}};
// The plainest first; "1,234" fits both a decimal comma and thousands.
constexpr std::array<size_t, 7> kCommaFiles{0, 2, 1, 3, 4, 5, 6}, kOtherFiles{0, 1, 2, 3, 4, 5, 6};
constexpr size_t kPlain = 0, kPointGroups = 3;

constexpr std::string_view kDigits = "0123456789";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

bool is_letter(char c) { return is_capital(c) || (c >= 'a' && c <= 'z'); }

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

bool are_digits(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::string replaced(std::string_view text,
                     std::initializer_list<std::pair<std::string_view, const char*>> signs) {
  std::string out(text);
  for (const auto& [sign, other] : signs) {
    for (size_t at = 0; (at = out.find(sign, at)) != std::string::npos;) {
      out.replace(at, sign.size(), other);
    }
  }
  return out;
}

// "-5" of "(5)", as accountants write it, also "$(5)".
std::string with_minus(const std::string& text) {
  const size_t open = text.find('(');
  const size_t digit = text.find_first_of(kDigits);
  if (!text.ends_with(')') || open == std::string::npos || open > digit) return text;
  const std::string inside = text.substr(open + 1, text.size() - open - 2);
  return inside.find_first_of("()+-") == std::string::npos ? "-" + text.substr(0, open) + inside
                                                           : text;
}

// Unbroken and narrow blanks, apostrophes, and signs for minus, as every keyboard has them; "5,-"
// is a price without cents.
std::string typed(std::string_view text) {
  std::string out = replaced(text, {{"\u00A0", " "},
                                    {"\u202F", " "},
                                    {"\u2009", " "},
                                    {"\u2019", "'"},
                                    {"\u2212", "-"},
                                    {"\u2013", "-"}});
  if (out.ends_with(",-") || out.ends_with(".-")) out.back() = '0';
  return with_minus(out);
}

// "1,234,567" without its separators; false where the groups are not of three digits. Commas may
// be set as in India, "12,34,567".
bool join_groups(std::string_view whole, char grouping, std::string& out) {
  const size_t first = whole.find(grouping), last = whole.rfind(grouping);
  if (first == 0 || first > 3 || whole[0] == '0' || whole.size() - last != 4) return false;
  const bool is_indian =
      grouping == ',' && first < 3 && last - first >= 3 && whole[first + 3] == grouping;
  const size_t step = is_indian ? 3 : 4;
  if ((last - first) % step != 0) return false;
  for (size_t at = first; at <= last; at += step) {
    if (whole[at] != grouping) return false;
  }
  out = whole;
  std::erase(out, grouping);
  return are_digits(out) && out.size() == whole.size() - (last - first) / step - 1;
}

bool parse_form(std::string_view text, Form form, double& value) {
  std::string sign;
  if (text.starts_with('-') || text.starts_with('+')) {
    sign = text[0] == '-' ? "-" : "";
    text.remove_prefix(1);
  }
  if (text.empty() || (!is_digit(text[0]) && text[0] != '.' && text[0] != ',')) return false;
  const char decimal = form.decimal_comma ? ',' : '.';
  const size_t point = std::min(text.find(decimal), text.size());
  const std::string_view whole = text.substr(0, point);
  std::string_view rest = text.substr(point);
  std::string joined(whole);
  if (form.grouping != 0 && whole.find(form.grouping) != std::string_view::npos &&
      !join_groups(whole, form.grouping, joined)) {
    return false;
  }
  if (form.decimal_comma && joined.find('.') != std::string::npos) return false;
  if (!rest.empty()) joined += "." + std::string(rest.substr(1));
  return parse_number(sign + joined, value);
}

bool is_currency(std::string_view text) {
  constexpr std::array<std::string_view, 17> kSigns{"$",   "€",   "£",   "¥",   "₹",   "US$",
                                                    "A$",  "C$",  "R$",  "CHF", "EUR", "USD",
                                                    "GBP", "JPY", "Fr.", "kr",  "Rs"};
  return std::find(kSigns.begin(), kSigns.end(), text) != kSigns.end();
}

bool is_unit(std::string_view text) {
  constexpr size_t kLongest = 12;
  if (text.empty() || text.size() > kLongest) return false;
  for (size_t i = 1; i < text.size(); ++i) {  // "m2", "mg/m3", "CO2"
    if (is_digit(text[i]) && ((text[i] != '2' && text[i] != '3') || !is_letter(text[i - 1]))) {
      return false;
    }
  }
  return is_letter(text[0]) || text[0] == '%' || text[0] == '$' || !is_ascii(text[0]);
}

// "3rd" and "10pm" are no measurements where others are "1st" and "8am".
bool is_ending(std::string_view unit) {
  constexpr std::array<std::string_view, 8> kEndings{"st", "nd", "rd", "th",
                                                     "am", "pm", "AM", "PM"};
  return std::ranges::find(kEndings, unit) != kEndings.end();
}

// What a suffix multiplies a number by; 0 where it does not.
double multiple_of(std::string_view unit) {
  if (unit == "k" || unit == "K") return 1e3;
  if (unit == "M") return 1e6;
  if (unit == "B" || unit == "G") return 1e9;
  return unit == "T" ? 1e12 : 0;
}

// 1 or -1 for the first or the second of two sides, by their letter; else 0.
double sign_of(std::string_view unit, std::string_view sides) {
  constexpr std::string_view kDegree = "\u00B0";
  if (unit.starts_with(kDegree)) unit = trimmed(unit.substr(kDegree.size()));
  if (unit.size() != 1) return 0;
  return unit[0] == sides.front() ? 1 : unit[0] == sides.back() ? -1 : 0;
}

bool are_sides(std::string_view unit) { return unit == kNorthSouth || unit == kEastWest; }

// Whether each number has a suffix of its own that changes it.
bool has_own_suffixes(std::string_view unit) { return unit == kMultiples || are_sides(unit); }

bool is_clock(std::string_view unit) {
  return unit == kHours || unit == kMinutes || unit == kThreeParts || unit == kClock;
}

// One spelling of signs that people write in several ways, and of plurals.
std::string common_spelling(const std::string& unit) {
  if (is_clock(unit)) return kClock;
  std::string common = replaced(unit, {{"\u00B2", "2"}, {"\u00B3", "3"}, {"\u00B5", "\u03BC"}});
  if (common.size() > 2 && (common.ends_with('s') || common.ends_with('S'))) common.pop_back();
  return common == "pct" ? "%" : common;
}

struct Clock {
  double seconds = 0;
  bool has_two_parts = false;  // then they are taken for minutes and seconds
  bool has_fraction = false;   // then they are
  bool is_half_day = false;
};

// "1:23:45.5", "83:45.5", "8:30 PM". "-1 days +23:00:00", as pandas writes, is an hour ago, and "3
// days" are all of them where none has hours.
bool parse_clock(std::string_view text, Clock& clock) {
  constexpr std::string_view kDays = " day";
  if (const size_t at = text.find(kDays); at != std::string_view::npos) {
    constexpr double kSecondsOfADay = 86400;
    double days = 0;
    Clock rest;
    std::string_view time = text.substr(at + kDays.size());
    if (time.starts_with('s')) time.remove_prefix(1);
    if (time.find(kDays) != std::string_view::npos) return false;
    if (!parse_number(text.substr(0, at), days)) return false;
    if (!time.empty()) {
      time.remove_prefix(time.starts_with(" +") ? 2 : 1);
      if (!parse_clock(time, rest)) return false;
    }
    clock.seconds = kSecondsOfADay * days + rest.seconds * (rest.has_two_parts ? 60 : 1);
    return true;
  }
  clock.is_half_day = parse_half_day(text, clock.seconds);
  if (clock.is_half_day) return true;
  const bool is_below = text.starts_with('-');
  if (is_below) text.remove_prefix(1);
  double sum = 0, part = 0;
  int parts = 1;
  for (size_t colon = 0; (colon = text.find(':')) != std::string_view::npos; ++parts) {
    const std::string_view whole = text.substr(0, colon);
    const bool fits = parts == 1 ? !whole.empty() : whole.size() == 2;
    if (!fits || !are_digits(whole) || !parse_number(whole, part)) return false;
    if (parts > 1 && part >= 60) return false;
    sum = 60 * sum + part;
    text.remove_prefix(colon + 1);
  }
  const size_t point = std::min(text.find('.'), text.size());
  const bool fits = point == 2 && are_digits(text.substr(0, 2)) && parse_number(text, part);
  if (parts < 2 || parts > 3 || !fits || part >= 60) return false;
  clock.seconds = (60 * sum + part) * (is_below ? -1 : 1);
  clock.has_two_parts = parts == 2;
  clock.has_fraction = point < text.size();
  return true;
}

// The number of "<0.5" or "≥ 3"; empty where there is none.
std::string_view behind_bound(std::string_view text) {
  for (const std::string_view sign : {"<=", ">=", "≤", "≥", "<", ">"}) {
    if (text.starts_with(sign)) return trimmed(text.substr(sign.size()));
  }
  return {};
}

// The end of the number that begins with the digit at `begin`.
size_t end_of_number(std::string_view text, size_t begin) {
  size_t end = std::min(text.find_first_not_of("0123456789.,' ", begin), text.size());
  if (!text.substr(end).starts_with('e') && !text.substr(end).starts_with('E')) return end;
  const size_t power = end + (text.substr(end + 1).find_first_of("+-") == 0 ? 2 : 1);
  const bool is_power = is_digit(text[end - 1]) && power < text.size() && is_digit(text[power]);
  return is_power ? std::min(text.find_first_not_of(kDigits, power), text.size()) : end;
}

// A currency before the number or any unit behind it. A suffix that multiplies may be behind a
// number of a currency, which is then set apart.
bool split_unit(std::string_view text, std::string& number, std::string& unit,
                std::string& currency) {
  const size_t begin = text.find_first_of(kDigits);
  if (begin == std::string_view::npos) return false;
  const size_t end = end_of_number(text, begin);
  std::string before(text.substr(0, begin));
  number = trimmed(text.substr(begin, end - begin));
  const std::string_view behind = trimmed(text.substr(end));
  const size_t sign = before.find_first_of("+-");
  if (sign != std::string::npos) {
    number.insert(0, 1, before[sign]);
    before.erase(sign, 1);
  }
  const std::string_view front = trimmed(before);
  currency = is_currency(front) ? front : std::string_view();
  unit = behind.empty() ? currency : std::string(behind);
  if (front.empty()) return is_unit(behind);
  return !currency.empty() && (behind.empty() || multiple_of(unit) > 0);
}

}  // namespace

// Adds up which forms a text fits; false where it fits none.
bool StyleFinder::count_forms(std::string_view text, Counts& counts) {
  double ignored = 0;
  bool fits_point = false, fits_comma = false;
  for (size_t f = 0; f < kForms; ++f) {
    if (!parse_form(text, kAllForms[f], ignored)) continue;
    ++counts[f];
    (kAllForms[f].decimal_comma ? fits_comma : fits_point) = true;
    point_groups_ += f == kPointGroups && text.find('.') != std::string_view::npos;
  }
  points_ += fits_point && !fits_comma;
  commas_ += fits_comma && !fits_point;
  return fits_point || fits_comma;
}

void StyleFinder::add_plain(std::string_view text) {
  ++bare_;
  const size_t point = text.find('.');
  if (point == std::string_view::npos) {
    ++whole_;
    return;
  }
  double ignored = 0;
  const Form groups{true, '.'};
  const bool may_group = text.size() == point + 4 && parse_form(text, groups, ignored);
  for (size_t f = 0; f < kForms; ++f) {
    const bool is_groups = kAllForms[f].grouping == groups.grouping;
    fit_[f] += is_groups ? may_group : !kAllForms[f].decimal_comma;
  }
  points_ += !may_group;
  point_groups_ += may_group;
}

void StyleFinder::add(std::string_view text) {
  if (text.find_first_of(kDigits) == std::string_view::npos) return;
  if (const std::string_view number = behind_bound(text); !number.empty()) {
    StyleFinder own;
    own.add(number);
    if (own.bare_ + own.with_unit_ > 0 && ++bounds_ == 1) first_bound_ = text;
    return;
  }
  const std::string clean = typed(text);
  if (count_forms(clean, fit_)) {
    ++bare_;
    return;
  }
  std::string number, unit, currency;
  Clock clock;
  if (parse_clock(clean, clock)) {
    unit = kClock;
    ++fit_unit_[0];
    has_half_days_ = has_half_days_ || clock.is_half_day;
    has_two_parts_ = has_two_parts_ || clock.has_two_parts;
    has_fractions_ = has_fractions_ || (clock.has_two_parts && clock.has_fraction);
    double& longest = clock.has_two_parts ? longest_two_parts_ : longest_;
    longest = std::max(longest, clock.seconds);
  } else if (!split_unit(clean, number, unit, currency) || !count_forms(number, fit_unit_)) {
    return;
  }
  constexpr size_t kMostUnits = 64;  // text has any number of them
  ++with_unit_;
  if (units_.size() < kMostUnits || units_.contains(unit)) ++units_[unit];
  const double multiple = multiple_of(unit);
  multiples_ += unit == currency || (multiple > 0 && is_digit(clean[clean.size() - 2]));
  has_thousands_ = has_thousands_ || (multiple > 0 && multiple <= 1e6);
  if (currency_.empty()) currency_ = currency;
  currencies_differ_ = currencies_differ_ || (!currency.empty() && currency != currency_);
}

int64_t StyleFinder::with_unit(const std::string& unit) const {
  int64_t texts = 0;
  for (const auto& [other, count] : units_) texts += same_unit(unit, other) ? count : 0;
  return texts;
}

// "$4.99" among 0, 3 and 7 needs no majority.
bool StyleFinder::has_one_currency() const {
  return units_.size() == 1 && is_currency(units_.begin()->first);
}

// Those of coordinates, where every unit is one of two sides, and both are there.
std::string StyleFinder::sides() const {
  for (const char* const sides : {kNorthSouth, kEastWest}) {
    bool has_first = false, has_second = false, has_others = false;
    for (const auto& [unit, texts] : units_) {
      const double sign = sign_of(unit, sides);
      (sign > 0 ? has_first : sign < 0 ? has_second : has_others) = true;
    }
    if (has_first && has_second && !has_others) return sides;
  }
  return "";
}

// The one that most numbers have. Two numbers are hours and minutes where the column may hold times
// of day.
std::string StyleFinder::unit() const {
  constexpr double kHour = 3600;
  if (with_unit_ <= bare_ && !has_one_currency()) return "";
  if (const std::string both = sides(); !both.empty()) return both;
  const auto most =
      std::ranges::max_element(units_, {}, [](const auto& unit) { return unit.second; });
  const std::string& common = most->first;
  const int64_t alike = with_unit(common);
  const bool may_multiply = multiples_ == with_unit_ && has_thousands_;  // "3G" and "4" do not
  const bool all_alike = alike == with_unit_ && bare_ == 0;
  if (may_multiply && currencies_differ_) return "";
  if (may_multiply && !all_alike) return kMultiples;
  if ((alike <= bare_ && !has_one_currency()) || 2 * alike <= with_unit_) return "";
  if (alike < with_unit_ && is_ending(common)) return "";
  if (common != kClock) return common;
  if (has_half_days_) return kHours;
  if (has_two_parts_) {
    return has_fractions_ || 60 * longest_two_parts_ > 24 * kHour ? kMinutes : kHours;
  }
  return longest_ >= 12 * kHour && longest_ <= 24 * kHour ? kHours : kThreeParts;
}

bool StyleFinder::units_differ() const {
  const std::string common = unit();
  return !common.empty() && !has_own_suffixes(common) && with_unit(common) < with_unit_;
}

int64_t StyleFinder::numbers() const {
  const std::string common = unit();
  return (has_own_suffixes(common) ? with_unit_ : with_unit(common)) +
         (needs_unit(common) ? 0 : bare_) + bounds();
}

NumberStyle StyleFinder::best(SignUses signs) const {
  const std::string common = unit();
  const auto fit_of = [&](size_t f) {
    return whole_ + fit_[f] + (common.empty() ? 0 : fit_unit_[f]);
  };
  const bool are_groups = signs.point == SignUse::kThousands && point_groups_ > 0;
  size_t best = are_groups ? kPointGroups : kPlain;
  for (const size_t f : signs.comma == SignUse::kThousands ? kCommaFiles : kOtherFiles) {
    if (fit_of(f) > fit_of(best)) best = f;
  }
  return {kAllForms[best].decimal_comma, kAllForms[best].grouping, common};
}

bool needs_unit(const std::string& unit) {
  return unit == "%" || unit == "pct" || multiple_of(unit) > 0 || unit == kHours;
}

bool same_unit(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const std::string one = common_spelling(a), other = common_spelling(b);
  if (one == other) return true;
  const auto lower = [](char c) { return is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c; };
  if (one.size() < 2 || !std::ranges::equal(one, other, {}, lower, lower)) return false;
  return !is_capital(one[1]) || one.substr(1) != other.substr(1);
}

bool parse_number(std::string_view text, const NumberStyle& style, double& value) {
  if (is_plain(style) && parse_number(text, value)) return true;
  if (const std::string_view number = behind_bound(text); !number.empty()) {
    return behind_bound(number).empty() && parse_number(number, style, value);
  }
  const std::string clean = typed(text);
  if (is_plain(style)) return parse_number(clean, value);
  if (is_clock(style.unit)) {
    Clock clock;
    if (!parse_clock(clean, clock)) return !needs_unit(style.unit) && parse_number(clean, value);
    value = clock.seconds;
    if (!clock.has_two_parts) return true;
    if (style.unit == kHours) value *= 60;
    return style.unit != kThreeParts && !(style.unit == kHours && clock.has_fraction);
  }
  const Form form{style.decimal_comma, style.grouping};
  if (!needs_unit(style.unit) && parse_form(clean, form, value)) return true;
  std::string number, unit, currency;
  if (style.unit.empty() || !split_unit(clean, number, unit, currency)) return false;
  if (!has_own_suffixes(style.unit)) {
    return same_unit(unit, style.unit) && parse_form(number, form, value);
  }
  const double factor = are_sides(style.unit) ? sign_of(unit, style.unit)
                        : unit == currency    ? 1
                                              : multiple_of(unit);
  if (factor == 0 || !parse_form(number, form, value)) return false;
  value *= factor;
  return true;
}

std::string number_text(const NumberStyle& style) {
  const std::string grouping = style.grouping == 0 ? "" : std::string(1, style.grouping);
  const std::string decimal = style.decimal_comma ? "," : ".";
  const std::string number = "1" + grouping + "234" + decimal + "5";
  if (style.unit.empty()) return number;
  if (style.unit == kMultiples) return "1" + decimal + "2345k";
  if (are_sides(style.unit)) return "12" + decimal + "5" + style.unit.back();
  if (is_clock(style.unit)) {
    return style.unit == kHours || style.unit == kMinutes ? "8:30" : "0:20:34.5";
  }
  if (is_currency(style.unit)) return style.unit + number;
  return number + (style.unit == "%" ? "%" : " " + style.unit);
}

std::string clock_text(double seconds, const std::string& unit) {
  constexpr double kHour = 3600, kLong = 1e5;  // float32 keeps tenths of a second up to there
  const double size = std::abs(seconds);
  if (unit == kClock || !is_clock(unit) || !(size < 1e12)) return "";
  const double parts = size < kHour ? 100 : size < kLong ? 10 : 1;
  const double rounded = std::round(size * parts) / parts;
  const auto whole = static_cast<int64_t>(rounded);
  const int64_t hours = whole / 3600, minutes = whole / 60 % 60;
  std::string fraction = fmt::format("{:.2f}", rounded - static_cast<double>(whole)).substr(1);
  while (fraction.ends_with('0') || fraction.ends_with('.')) fraction.pop_back();
  const std::string behind = fmt::format(":{:02}{}", whole % 60, fraction);
  std::string text = seconds < 0 ? "-" : "";
  if (unit == kMinutes && hours == 0) return text + std::to_string(minutes) + behind;
  text += fmt::format("{}:{:02}", hours, minutes);
  return unit == kHours && behind == ":00" ? text : text + behind;
}

}  // namespace glgnn
