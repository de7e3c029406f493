#include "data/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>
#include <iterator>

#include "data/text_rows.h"

namespace glgnn {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

uint32_t small_letter(uint32_t c) {
  const auto is_in = [c](uint32_t first, uint32_t last) { return c >= first && c <= last; };
  if (is_in('A', 'Z') || (is_in(0xC0, 0xDE) && c != 0xD7)) return c + 32;
  if (c < 0x100) return c;
  if (is_in(0x391, 0x3AB) || is_in(0x410, 0x42F)) return c + 32;
  if (is_in(0x400, 0x40F)) return c + 80;
  if (is_in(0x388, 0x38A)) return c + 37;
  if (is_in(0x38E, 0x38F)) return c + 63;
  if (c == 0x386) return 0x3AC;
  if (c == 0x38C) return 0x3CC;
  if (c == 0x178) return 0xFF;
  if (is_in(0x139, 0x148) || is_in(0x179, 0x17E) || is_in(0x4C1, 0x4CE)) return c + c % 2;
  const bool are_pairs = (is_in(0x100, 0x137) && c != 0x130) || is_in(0x14A, 0x177) ||
                         is_in(0x460, 0x481) || is_in(0x48A, 0x4BF) || is_in(0x4D0, 0x52F);
  return are_pairs ? c | 1 : c;
}

template <size_t n>
bool is_one_of(std::string_view text, const std::array<std::string_view, n>& words) {
  constexpr size_t kLongestWord = 14;
  if (text.size() > kLongestWord) return false;
  const std::string word = lower_case(text);
  return std::find(words.begin(), words.end(), word) != words.end();
}

// As C's printf and C++ write it: "-nan", "nan(0x8000)", "-nan(ind)".
bool is_nan(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (lower_case(text.substr(0, 3)) != "nan") return false;
  text.remove_prefix(3);
  return text.empty() || (text.starts_with('(') && text.ends_with(')'));
}

// Takes exactly `digits` digits from the front.
bool take_digits(std::string_view& text, size_t digits, int& value) {
  if (text.size() < digits || !std::all_of(text.begin(), text.begin() + digits, is_digit)) {
    return false;
  }
  std::from_chars(text.data(), text.data() + digits, value);
  text.remove_prefix(digits);
  return true;
}

bool take_char(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// Takes "AM" or "PM" from the end, in any case, with or without a blank before it.
bool take_half_of_day(std::string_view& text, bool& is_afternoon) {
  if (text.size() < 3) return false;
  const std::string half = lower_case(text.substr(text.size() - 2));
  if (half != "am" && half != "pm") return false;
  is_afternoon = half == "pm";
  text.remove_suffix(text[text.size() - 3] == ' ' ? 3 : 2);
  return true;
}

// "8:30", "08:30:15.25", with or without AM, PM, UTC, GMT, Z or an offset such as +02:00, as a part
// of a day.
bool parse_time(std::string_view text, double& part) {
  int hours = 0, minutes = 0, shift_hours = 0, shift_minutes = 0;
  double seconds = 0;
  bool is_afternoon = false;
  const bool has_half = take_half_of_day(text, is_afternoon);
  if (!take_digits(text, text.find(':') == 1 ? 1 : 2, hours) || !take_char(text, ':') ||
      !take_digits(text, 2, minutes)) {
    return false;
  }
  if (has_half) {
    if (hours < 1 || hours > 12) return false;
    hours = hours % 12 + (is_afternoon ? 12 : 0);
  }
  if (take_char(text, ':')) {
    const size_t end = std::min(text.find_first_not_of("0123456789.,"), text.size());
    std::string number(text.substr(0, end));
    std::replace(number.begin(), number.end(), ',', '.');
    if (!parse_number(number, seconds)) return false;
    text.remove_prefix(end);
  }
  take_char(text, ' ');
  if (text == "Z" || text == "UTC" || text == "GMT") text = {};
  const int sign = text.starts_with('-') ? -1 : 1;
  if (take_char(text, '+') || take_char(text, '-')) {
    if (!take_digits(text, 2, shift_hours)) return false;
    take_char(text, ':');
    if (!text.empty() && !take_digits(text, 2, shift_minutes)) return false;
  }
  part = (60.0 * (hours - sign * shift_hours) + minutes - sign * shift_minutes + seconds / 60.0) /
         1440.0;
  return text.empty() && hours < 25 && minutes < 60 && seconds < 61;
}

struct Day {
  int year, month, day;
};

// Days since 1970-01-01; `time` is what follows the date.
bool count_days(const Day& day, std::string_view time, double& days) {
  const std::chrono::year_month_day date{std::chrono::year(day.year),
                                         std::chrono::month(static_cast<unsigned>(day.month)),
                                         std::chrono::day(static_cast<unsigned>(day.day))};
  if (!date.ok()) return false;
  days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (time.empty()) return true;
  double part = 0;
  if ((!take_char(time, 'T') && !take_char(time, ' ')) || !parse_time(time, part)) return false;
  days += part;
  return true;
}

// The number of a month by its English name or the beginning of it, at least three letters; else 0.
int month_of(std::string_view word) {
  constexpr std::array<std::string_view, 12> kMonths{
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
  const std::string name = lower_case(word);
  const auto found = std::find_if(kMonths.begin(), kMonths.end(),
                                  [&](std::string_view month) { return month.starts_with(name); });
  return name.size() < 3 || found == kMonths.end() ? 0
                                                   : static_cast<int>(found - kMonths.begin()) + 1;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// Takes "Tue, " or "Tuesday " from the front.
void take_weekday(std::string_view& text) {
  constexpr std::array<std::string_view, 7> kDays{"monday", "tuesday",  "wednesday", "thursday",
                                                  "friday", "saturday", "sunday"};
  const auto end = static_cast<size_t>(std::ranges::find_if_not(text, is_letter) - text.begin());
  const std::string word = lower_case(text.substr(0, end));
  const auto is_day = [&](std::string_view day) { return word == day || word == day.substr(0, 3); };
  if (std::ranges::any_of(kDays, is_day)) text.remove_prefix(end);
}

// "17 May 2024", "May 17, 2024", "17-May-2024 08:30", "Fri, 17 May 2024": clear in any order, as
// the year has four digits.
bool parse_named_date(std::string_view text, double& days) {
  take_weekday(text);
  Day date{};
  for (int part = 0; part < 3; ++part) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,-./"), text.size()));
    const auto length_of = [&](auto is_part) {
      return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_part) -
                                 text.begin());
    };
    const size_t letters = length_of(is_letter), digits = length_of(is_digit);
    int& number = letters > 0 ? date.month : digits == 4 ? date.year : date.day;
    if (number != 0) return false;
    if (letters > 0) {
      number = month_of(text.substr(0, letters));
      text.remove_prefix(letters);
    } else if ((digits != 4 && digits > 2) || !take_digits(text, digits, number)) {
      return false;
    }
    if (number == 0) return false;
  }
  return count_days(date, text, days);
}

// "17-May-24" as "17-01-24".
std::string with_month_digits(std::string_view text) {
  std::string out(text);
  const auto begin = std::find_if(out.begin(), out.end(), is_letter);
  const auto end = std::find_if_not(begin, out.end(), is_letter);
  if (month_of({begin, end}) > 0) out.replace(begin, end, "01");
  return out;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (size_t i = 0; i < out.size(); ++i) {
    const auto byte = static_cast<unsigned char>(out[i]);
    if (byte < 0x80) {
      out[i] = static_cast<char>(small_letter(byte));
    } else if (byte >= 0xC3 && byte <= 0xD4 && i + 1 < out.size()) {  // of UTF-8's two bytes
      const auto next = static_cast<unsigned char>(out[i + 1]);
      const uint32_t small = small_letter((byte & 0x1FU) << 6 | (next & 0x3FU));
      out[i] = static_cast<char>(0xC0 | small >> 6);
      out[++i] = static_cast<char>(0x80 | (small & 0x3FU));
    }
  }
  return out;
}

bool exact_number(std::string_view text, double& value) {
  constexpr double kMost = 0x1p53;
  if (!parse_number(text, value) || !(std::abs(value) < kMost)) return false;
  const size_t power = value == 0 ? text.find_first_of("eE") : std::string_view::npos;
  return power == std::string_view::npos ||
         text.find_first_of("123456789", power) == std::string_view::npos;
}

std::string cell_text(const Cell& cell) {
  if (!cell.is_number) return std::string(cell.text);
  if (cell.is_gap) return "";
  constexpr size_t kLongest = 32;
  std::array<char, kLongest> text;
  const auto [end, code] = std::to_chars(text.data(), text.data() + text.size(), cell.number);
  return {text.data(), end};
}

bool is_missing(std::string_view text) {
  static constexpr std::array<std::string_view, 10> kWords{"none", "-", "--", "---", "–",
                                                           "—",    ".", "..", ":",   "nat"};
  return is_unlabelled(text) || is_one_of(text, kWords) || text == "0000-00-00" ||
         text == "0000-00-00 00:00:00";  // as MySQL writes them
}

bool is_sign(std::string_view text) {
  return !text.empty() && text.find_first_not_of("+-") == std::string_view::npos;
}

bool is_unlabelled(std::string_view text) {
  static constexpr std::array<std::string_view, 21> kWords{
      "",     "na",     "n/a",    "nan",     "null",    "?",       "#n/a",
      "#na",  "#null!", "#num!",  "#div/0!", "#value!", "#ref!",   "#name?",
      "<na>", "\\n",    "(null)", "1.#ind",  "-1.#ind", "1.#qnan", "-1.#qnan"};
  return is_one_of(text, kWords) || is_nan(text);
}

GapWords::GapWords(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    double number = 0;
    const std::string text(trimmed(word));
    const bool is_number = exact_number(text, number);
    words_.push_back({text, is_number ? number : std::nan(""), false});
    has_numbers_ = has_numbers_ || is_number;
  }
}

template <class Is>
bool GapWords::see(const Is& is) {
  bool found = false;
  for (Word& word : words_) {
    const bool is_this = is(word);
    word.is_seen = word.is_seen || is_this;
    found = found || is_this;
  }
  return found;
}

bool GapWords::has(std::string_view text) {
  if (words_.empty()) return false;
  double number = std::nan("");
  if (has_numbers_ && !exact_number(text, number)) number = std::nan("");
  return see([&](const Word& word) { return word.text == text || word.number == number; });
}

bool GapWords::has(double number) {
  return has_numbers_ && see([&](const Word& word) { return word.number == number; });
}

std::vector<std::string> GapWords::unseen() const {
  std::vector<std::string> texts;
  for (const Word& word : words_) {
    if (!word.is_seen) texts.push_back(word.text);
  }
  return texts;
}

bool may_mean_unknown(std::string_view text) {
  static constexpr std::array<std::string_view, 19> kWords{"unknown",
                                                           "unlabeled",
                                                           "unlabelled",
                                                           "missing",
                                                           "undefined",
                                                           "not labeled",
                                                           "not known",
                                                           "not labelled",
                                                           "not recorded",
                                                           "not reported",
                                                           "not detected",
                                                           "no data",
                                                           "not available",
                                                           "not applicable",
                                                           "n.a.",
                                                           "n.d.",
                                                           "nd",
                                                           "n/d",
                                                           "tbd"};
  return is_one_of(text, kWords);
}

bool parse_half_day(std::string_view text, double& seconds) {
  std::string_view rest = text;
  bool ignored = false;
  double part = 0;
  if (!take_half_of_day(rest, ignored) || !parse_time(text, part)) return false;
  seconds = 86400 * part;
  return true;
}

bool parse_iso_date(std::string_view text, double& days) {
  int year = 0, month = 0, day = 0;
  return take_digits(text, 4, year) && take_char(text, '-') && take_digits(text, 2, month) &&
         take_char(text, '-') && take_digits(text, 2, day) &&
         count_days({year, month, day}, text, days);
}

bool parse_date(std::string_view text, DateOrder order, double& days) {
  if (order == DateOrder::kYear && (parse_iso_date(text, days) || parse_named_date(text, days))) {
    return true;
  }
  std::array<int, 3> parts{};
  std::array<size_t, 3> digits{};
  char separator = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    digits[i] = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits[i] == 0 || digits[i] > 4 || !take_digits(text, digits[i], parts[i])) return false;
    if (i + 1 == parts.size()) break;
    if (text.empty() || (separator != 0 && text[0] != separator)) return false;
    separator = text[0];
    if (separator != '/' && separator != '.' && separator != '-') return false;
    text.remove_prefix(1);
  }
  const size_t year = order == DateOrder::kYear ? 0 : 2;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i == year ? digits[i] != 4 : digits[i] > 2) return false;
  }
  const auto [first, second, third] = parts;
  switch (order) {
    case DateOrder::kYear:
      return count_days({first, second, third}, text, days);
    case DateOrder::kDay:
      return count_days({third, second, first}, text, days);
    case DateOrder::kMonth:
      return count_days({third, first, second}, text, days);
  }
  return false;
}

std::string date_text(double days, bool with_seconds) {
  using std::chrono::floor;
  constexpr double kMostDays = 11'000'000;  // years that the calendar knows: to 32767
  const double known = days > -kMostDays ? std::min(days, kMostDays) : -kMostDays;
  const int64_t step = with_seconds ? 1 : 60;  // seconds
  const double steps_of_a_day = 86400.0 / static_cast<double>(step);
  const std::chrono::sys_seconds moment(
      std::chrono::seconds(step * static_cast<int64_t>(std::round(known * steps_of_a_day))));
  const auto day = floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{moment - day};
  std::string text =
      fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (moment == day) return text;
  text += fmt::format(" {:02}:{:02}", time.hours().count(), time.minutes().count());
  const auto seconds = time.seconds().count();
  return seconds == 0 ? text : text + fmt::format(":{:02}", seconds);
}

bool looks_like_date(std::string_view text) {
  double ignored = 0;
  if (parse_named_date(text, ignored)) return true;
  std::array<size_t, 3> digits{};
  std::array<int, 3> parts{};
  size_t at = 0;
  char separator = 0;
  const std::string numbers = with_month_digits(text);
  for (const char c : numbers.substr(0, numbers.find_first_of(" T"))) {
    if (is_digit(c)) {
      if (++digits[at] > 4) return false;
      parts[at] = 10 * parts[at] + (c - '0');
      continue;
    }
    if ((c != '/' && c != '.' && c != '-') || (separator != 0 && c != separator)) return false;
    separator = c;
    if (++at == digits.size()) return false;
  }
  if (at != 2) return false;
  const auto may_be_day = [&](size_t i) {
    return (digits[i] == 1 || digits[i] == 2) && parts[i] >= 1 && parts[i] <= 31;
  };
  const auto are_day_and_month = [&](size_t i, size_t j) {
    return may_be_day(i) && may_be_day(j) && std::min(parts[i], parts[j]) <= 12;
  };
  const bool is_short = digits[0] == 2 && digits[1] == 2;  // 24-05-17
  return ((digits[2] == 4 || digits[2] == 2) && are_day_and_month(0, 1)) ||
         ((digits[0] == 4 || (is_short && digits[2] == 2)) && are_day_and_month(1, 2));
}

bool is_id_name(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kRowNumbers{
      "rowname", "rownames", "rownum", "rownumber", "rowno", "sno", "slno", "srno", "serialno"};
  const std::string lower = lower_case(name);
  std::string letters;
  std::ranges::copy_if(lower, std::back_inserter(letters), is_letter);
  if (is_one_of(letters, kRowNumbers)) return true;
  if (lower.starts_with("unnamed: ")) return true;  // pandas' name for a column without one
  for (const std::string_view word : {"id", "index", "idx", "row", "rowid", "no", "nr", "number"}) {
    if (lower == word) return true;
    for (const char before : {'_', ' ', '-', '.'}) {
      if (lower.ends_with(before + std::string(word)) && word != "row") return true;
    }
  }
  if (letters.size() > 3 && (letters.ends_with("nr") || letters.ends_with("nummer"))) return true;
  return name.size() > 2 && (name.ends_with("Id") || name.ends_with("ID"));
}

bool may_number_rows(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kWords{"obs", "observation", "case", "record"};
  return is_one_of(name, kWords);
}

}  // namespace glgnn
