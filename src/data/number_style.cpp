#include "data/number_style.h"

#include <algorithm>
#include <cctype>

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
  const auto first = static_cast<unsigned char>(text[0]);
  return std::isalpha(first) || first == '%' || first == '$' || first >= 0x80;
}

// "1:23:45.5" and "83:45.5" as seconds; of two numbers the first may be hours as well, which
// changes the unit of the column alone. "-1 days +23:00:00", as pandas writes, is an hour ago, and
// "3 days" are all of them where none has hours.
bool parse_clock(std::string_view text, double& seconds) {
  constexpr std::string_view kDays = " day";
  if (const size_t at = text.find(kDays); at != std::string_view::npos) {
    constexpr double kSecondsOfADay = 86400;
    double days = 0, rest = 0;
    std::string_view time = text.substr(at + kDays.size());
    if (time.starts_with('s')) time.remove_prefix(1);
    if (time.find(kDays) != std::string_view::npos) return false;
    if (!parse_number(text.substr(0, at), days)) return false;
    if (!time.empty()) {
      time.remove_prefix(time.starts_with(" +") ? 2 : 1);
      if (!parse_clock(time, rest)) return false;
    }
    seconds = kSecondsOfADay * days + rest;
    return true;
  }
  if (parse_half_day(text, seconds)) return true;
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
  seconds = (60 * sum + part) * (is_below ? -1 : 1);
  return true;
}

// A currency before the number or any unit behind it.
bool split_unit(std::string_view text, std::string& number, std::string& unit) {
  const size_t begin = text.find_first_of(kDigits), end = text.find_last_of(kDigits);
  if (begin == std::string_view::npos) return false;
  std::string before(text.substr(0, begin));
  number = text.substr(begin, end + 1 - begin);
  const std::string_view behind = trimmed(text.substr(end + 1));
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
  double ignored = 0;
  if (parse_clock(clean, ignored)) {
    unit = kClock;
    ++fit_unit_[0];
  } else if (!split_unit(clean, number, unit) || !count_forms(number, fit_unit_)) {
    return;
  }
  ++with_unit_;
  if (unit_.empty()) unit_ = unit;
  units_differ_ = units_differ_ || unit != unit_;
}

// Most numbers have the one unit. 50 and 50% in one column may mean two things; 50 and $50 cannot.
bool StyleFinder::units_count() const {
  return with_unit_ > bare_ && !units_differ_ && (unit_ != "%" || bare_ == 0);
}

NumberStyle StyleFinder::best(bool comma_separates) const {
  size_t best = 0;
  int64_t most = -1;
  for (const size_t f : comma_separates ? kCommaFiles : kOtherFiles) {
    const int64_t fit = whole_ + fit_[f] + (units_count() ? fit_unit_[f] : 0);
    if (fit <= most) continue;
    most = fit;
    best = f;
  }
  return {kAllForms[best].decimal_comma, kAllForms[best].grouping, units_count() ? unit_ : ""};
}

bool parse_number(std::string_view text, const NumberStyle& style, double& value) {
  if (is_plain(style) && parse_number(text, value)) return true;
  const std::string clean = typed(text);
  if (is_plain(style)) return parse_number(clean, value);
  if (style.unit == kClock) return parse_clock(clean, value) || parse_number(clean, value);
  const Form form{style.decimal_comma, style.grouping};
  if (parse_form(clean, form, value)) return true;
  std::string number, unit;
  return !style.unit.empty() && split_unit(clean, number, unit) && unit == style.unit &&
         parse_form(number, form, value);
}

std::string number_text(const NumberStyle& style) {
  const std::string grouping = style.grouping == 0 ? "" : std::string(1, style.grouping);
  const std::string number = "1" + grouping + "234" + (style.decimal_comma ? "," : ".") + "5";
  if (style.unit.empty()) return number;
  if (style.unit == kClock) return "0:20:34.5";
  if (is_currency(style.unit)) return style.unit + number;
  return number + (style.unit == "%" ? "%" : " " + style.unit);
}

}  // namespace glgnn
