#include "data/dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>

#include "data/text_rows.h"
#include "data/values.h"

namespace glgnn {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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

// "Apr 07 22:33:35 UTC 2020", as C and Unix write it, with its year before the time; empty where it
// does not stand at the end.
std::string with_year_before_time(std::string_view text) {
  constexpr size_t kYear = 5;  // with the blank before it
  const size_t time = text.rfind(' ', text.find(':'));
  const size_t year = text.size() - std::min(kYear, text.size());
  if (time >= year || text[year] != ' ') return "";
  const std::string_view digits = text.substr(year + 1);
  if (!std::ranges::all_of(digits, is_digit)) return "";
  return std::string(text.substr(0, time)) + std::string(text.substr(year)) +
         std::string(text.substr(time, year - time));
}

// "17 May 2024", "May 17, 2024", "17-May-2024 08:30", "Fri, 17 May 2024": clear in any order, as
// the year has four digits.
bool parse_named_date(std::string_view text, double& days) {
  take_weekday(text);
  const std::string moved = with_year_before_time(text);
  if (!moved.empty()) text = moved;
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

// Takes a sign that may stand between a year and its month.
void take_separator(std::string_view& text) {
  if (!text.empty() && std::string_view(" ,-/").find(text[0]) != std::string_view::npos) {
    text.remove_prefix(text.starts_with(", ") ? 2 : 1);
  }
}

// Takes "May" or "Q2" from the front: the month that it begins with.
bool take_named_month(std::string_view& text, int& month) {
  const auto end = static_cast<size_t>(std::ranges::find_if_not(text, is_letter) - text.begin());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  int quarter = 0;
  if (word == "Q" || word == "q") {
    month = take_digits(text, 1, quarter) && quarter >= 1 && quarter <= 4 ? 3 * quarter - 2 : 0;
  } else {
    month = month_of(word);
  }
  return month > 0;
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

bool parse_month(std::string_view text, double& days) {
  constexpr int kFirstYear = 1500, kLastYear = 2199;  // "9021-04" is no month
  int year = 0, month = 0;
  if (take_digits(text, 4, year)) {
    const bool is_number = text.starts_with('-') || text.starts_with('/');
    take_separator(text);
    if (!(is_number && take_digits(text, 2, month)) && !take_named_month(text, month)) return false;
  } else {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view behind = text.substr(digits);
    if (digits == 0) {
      if (!take_named_month(text, month)) return false;
    } else if (digits > 2 || !(behind.starts_with('/') || behind.starts_with('-')) ||
               !take_digits(text, digits, month)) {
      return false;
    }
    take_separator(text);
    if (!take_digits(text, 4, year)) return false;
  }
  return year >= kFirstYear && year <= kLastYear && text.empty() &&
         count_days({year, month, 1}, text, days);
}

bool may_be_two_years(std::string_view text) {
  int first = 0, second = 0;
  return take_digits(text, 4, first) && (take_char(text, '-') || take_char(text, '/')) &&
         take_digits(text, 2, second) && text.empty() && (first + 1) % 100 == second;
}

bool parse_date(std::string_view text, DateOrder order, double& days) {
  if (order == DateOrder::kYear &&
      (parse_iso_date(text, days) || parse_named_date(text, days) || parse_month(text, days))) {
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

}  // namespace glgnn
