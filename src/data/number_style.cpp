#include "data/number_style.h"

#include <algorithm>

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

// Unbroken and narrow blanks, and the sign for minus, as every keyboard has them.
std::string typed(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> kTyped{
      {{"\xC2\xA0", " "}, {"\xE2\x80\xAF", " "}, {"\xE2\x80\x89", " "}, {"\xE2\x88\x92", "-"}}};
  std::string out(text);
  for (const auto& [sign, key] : kTyped) {
    for (size_t at = 0; (at = out.find(sign, at)) != std::string::npos;) {
      out.replace(at, sign.size(), key);
    }
  }
  return out;
}

// "1,234,567" without its separators; false where the groups are not of three digits.
bool join_groups(std::string_view whole, char grouping, std::string& out) {
  size_t first = whole.find(grouping);
  if (first == 0 || first > 3 || whole[0] == '0') return false;
  out = whole.substr(0, first);
  for (whole.remove_prefix(first); !whole.empty(); whole.remove_prefix(4)) {
    if (whole[0] != grouping || whole.size() < 4 || !are_digits(whole.substr(1, 3))) return false;
    out += whole.substr(1, 3);
  }
  return are_digits(out);
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

// What a suffix multiplies a number by; 0 where it does not.
double multiple_of(std::string_view unit) {
  if (unit == "k" || unit == "K") return 1e3;
  if (unit == "M") return 1e6;
  if (unit == "B" || unit == "G") return 1e9;
  return unit == "T" ? 1e12 : 0;
}

bool is_clock(std::string_view unit) {
  return unit == kHours || unit == kMinutes || unit == kThreeParts || unit == kClock;
}

// The same for all spellings; but "mW" is not "MW".
std::string unit_key(const std::string& unit) {
  if (is_clock(unit)) return kClock;
  const auto capitals = std::count_if(unit.begin(), unit.end(), is_capital);
  const auto letters = std::count_if(unit.begin(), unit.end(), is_letter);
  const bool is_plain_case =
      capitals == 0 || capitals == letters || (capitals == 1 && is_capital(unit[0]));
  if (unit.size() < 2 || !is_plain_case) return unit;
  std::string key = unit;
  for (char& c : key) c = is_capital(c) ? static_cast<char>(c - 'A' + 'a') : c;
  if (key.size() > 2 && key.ends_with('s')) key.pop_back();
  return key;
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

// The end of the number that begins with the digit at `begin`.
size_t end_of_number(std::string_view text, size_t begin) {
  size_t end = std::min(text.find_first_not_of("0123456789.,' ", begin), text.size());
  if (!text.substr(end).starts_with('e') && !text.substr(end).starts_with('E')) return end;
  const size_t power = end + (text.substr(end + 1).find_first_of("+-") == 0 ? 2 : 1);
  const bool is_power = is_digit(text[end - 1]) && power < text.size() && is_digit(text[power]);
  return is_power ? std::min(text.find_first_not_of(kDigits, power), text.size()) : end;
}

// A currency before the number or any unit behind it.
bool split_unit(std::string_view text, std::string& number, std::string& unit) {
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
  unit = front.empty() ? behind : front;
  return front.empty() ? is_unit(behind) : behind.empty() && is_currency(front);
}

// Adds up which forms a text fits; false where it fits none.
bool count_forms(std::string_view text, std::array<int64_t, kAllForms.size()>& counts) {
  bool any = false;
  double ignored = 0;
  for (size_t f = 0; f < kAllForms.size(); ++f) {
    const bool fits = parse_form(text, kAllForms[f], ignored);
    counts[f] += fits;
    any = any || fits;
  }
  return any;
}

}  // namespace

void StyleFinder::add_plain(std::string_view text) {
  ++bare_;
  const size_t point = text.find('.');
  if (point == std::string_view::npos) {
    ++whole_;
    return;
  }
  double ignored = 0;
  for (size_t f = 0; f < kForms; ++f) {
    const bool fits = kAllForms[f].grouping == '.'
                          ? text.size() == point + 4 && parse_form(text, kAllForms[f], ignored)
                          : !kAllForms[f].decimal_comma;
    fit_[f] += fits;
  }
}

void StyleFinder::add(std::string_view text) {
  if (text.find_first_of(kDigits) == std::string_view::npos) return;
  const std::string clean = typed(text);
  if (count_forms(clean, fit_)) {
    ++bare_;
    return;
  }
  std::string number, unit;
  Clock clock;
  if (parse_clock(clean, clock)) {
    unit = kClock;
    ++fit_unit_[0];
    has_half_days_ = has_half_days_ || clock.is_half_day;
    has_two_parts_ = has_two_parts_ || clock.has_two_parts;
    has_fractions_ = has_fractions_ || (clock.has_two_parts && clock.has_fraction);
    double& longest = clock.has_two_parts ? longest_two_parts_ : longest_;
    longest = std::max(longest, clock.seconds);
  } else if (!split_unit(clean, number, unit) || !count_forms(number, fit_unit_)) {
    return;
  }
  ++with_unit_;
  const double multiple = multiple_of(unit);
  multiples_ += multiple > 0 && is_digit(clean[clean.size() - 2]);
  has_thousands_ = has_thousands_ || (multiple > 0 && multiple <= 1e6);
  if (unit_.empty()) unit_ = unit;
  units_differ_ = units_differ_ || !same_unit(unit, unit_);
}

// The one that most numbers have. Two numbers are hours and minutes where the column may hold times
// of day.
std::string StyleFinder::unit() const {
  constexpr double kHour = 3600;
  if (with_unit_ <= bare_) return "";
  const bool may_multiply = multiples_ == with_unit_ && has_thousands_;  // "3G" and "4" do not
  if (may_multiply && (units_differ_ || bare_ > 0)) return kMultiples;
  if (units_differ_) return "";
  if (unit_ != kClock) return unit_;
  if (has_half_days_) return kHours;
  if (has_two_parts_) {
    return has_fractions_ || 60 * longest_two_parts_ > 24 * kHour ? kMinutes : kHours;
  }
  return longest_ >= 12 * kHour && longest_ <= 24 * kHour ? kHours : kThreeParts;
}

int64_t StyleFinder::numbers() const {
  const std::string common = unit();
  return (common.empty() ? 0 : with_unit_) + (needs_unit(common) ? 0 : bare_);
}

NumberStyle StyleFinder::best(bool comma_separates) const {
  const std::string common = unit();
  size_t best = 0;
  int64_t most = -1;
  for (const size_t f : comma_separates ? kCommaFiles : kOtherFiles) {
    const int64_t fit = whole_ + fit_[f] + (common.empty() ? 0 : fit_unit_[f]);
    if (fit <= most) continue;
    most = fit;
    best = f;
  }
  return {kAllForms[best].decimal_comma, kAllForms[best].grouping, common};
}

bool needs_unit(const std::string& unit) {
  return unit == "%" || multiple_of(unit) > 0 || unit == kHours;
}

bool same_unit(const std::string& a, const std::string& b) { return unit_key(a) == unit_key(b); }

bool parse_number(std::string_view text, const NumberStyle& style, double& value) {
  if (is_plain(style) && parse_number(text, value)) return true;
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
  std::string number, unit;
  if (style.unit.empty() || !split_unit(clean, number, unit)) return false;
  const bool multiplies = style.unit == kMultiples;
  if (multiplies ? multiple_of(unit) == 0 : !same_unit(unit, style.unit)) return false;
  if (!parse_form(number, form, value)) return false;
  if (multiplies) value *= multiple_of(unit);
  return true;
}

std::string number_text(const NumberStyle& style) {
  const std::string grouping = style.grouping == 0 ? "" : std::string(1, style.grouping);
  const std::string decimal = style.decimal_comma ? "," : ".";
  const std::string number = "1" + grouping + "234" + decimal + "5";
  if (style.unit.empty()) return number;
  if (style.unit == kMultiples) return "1" + decimal + "2345k";
  if (is_clock(style.unit)) {
    return style.unit == kHours || style.unit == kMinutes ? "8:30" : "0:20:34.5";
  }
  if (is_currency(style.unit)) return style.unit + number;
  return number + (style.unit == "%" ? "%" : " " + style.unit);
}

}  // namespace glgnn
