// What a field of a table says: a gap, a number, a date, or a text.
#pragma once

#include <string>
#include <string_view>

namespace glgnn {

// "", NA, N/A, NaN, null, none, ? and -, in capitals or not.
bool is_missing(std::string_view text);

// The same for labels, where "none" and "-" may well be classes.
bool is_unlabelled(std::string_view text);

// "1,5": a number with one comma in place of the point.
bool parse_decimal_comma(std::string_view text, double& value);

// "1,234" or "1.234.567": digits in groups of three. "1.234" is not taken for one.
bool has_grouped_digits(std::string_view text);

// "2024-05-17", also with a time: days since 1970-01-01, the time as a part of a day.
bool parse_iso_date(std::string_view text, double& days);

// "2024-05-17", the day of a number of days.
std::string date_text(double days);

// "17/05/2024", "5.17.24": dates of which one cannot be sure which number is the day.
bool is_unclear_date(std::string_view text);

// "id", "ID", "row", "sample_id", "customerId", "patient no": names of columns that number the
// rows.
bool is_id_name(std::string_view name);

}  // namespace glgnn
