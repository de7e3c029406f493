// Dates and times of day as people write them.
#pragma once

#include <glgnn/table.h>

#include <string>
#include <string_view>

namespace glgnn {

// "8:30 PM": seconds since midnight.
bool parse_half_day(std::string_view text, double& seconds);

// "2024-05-17", also with a time: days since 1970-01-01, the time as a part of a day.
bool parse_iso_date(std::string_view text, double& days);

// "2024-05", "05/2024", "May 2024", "2024Q2", "Q2 2024": the first day of a month or of a quarter.
bool parse_month(std::string_view text, double& days);

// "2011-12" may be December of 2011, or two years as of a season.
bool may_be_two_years(std::string_view text);

// "17/5/2024", "17.05.2024 8:30 PM": the same of dates with /, . or - between day, month and a year
// of four digits, in this order. Where the year comes first, ISO dates are meant too, and those
// that name their month in English: "17 May 2024", "May 17, 2024"; and months alone.
bool parse_date(std::string_view text, DateOrder order, double& days);

// "2024-05-17", the day of a number of days; "2024-05-17 08:30" where it has a time, with its
// seconds where they are wanted.
std::string date_text(double days, bool with_seconds = false);

// "17/05/2024", "5.17.24": three numbers that may be a day, a month and a year.
bool looks_like_date(std::string_view text);

}  // namespace glgnn
