#include "data/column_profile.h"

#include <algorithm>
#include <cmath>

#include "data/text_rows.h"
#include "data/values.h"

namespace glgnn {
namespace {

constexpr size_t kMostLevels = 50;
constexpr double kRarePart = 0.01;     // a level of fewer rows is rare ...
constexpr int64_t kNeverRare = 10;     // ... unless it has so many
constexpr int64_t kLongestLevel = 48;  // characters, on average
constexpr int64_t kLongestName = 24;

bool is_whole(double x) { return x == std::floor(x); }

}  // namespace

void ColumnProfile::add(const std::string& text) {
  if (is_missing(text)) {
    ++missing_;
    return;
  }
  ++present_;
  if (wish_ == ColumnWish::kCategorical || wish_ == ColumnWish::kDrop) return;
  double value = 0;
  if (parse_number(text, value) && !std::isnan(value)) {
    numbers_.push_back(value);
    points_ += text.find('.') != std::string::npos;
  } else if (parse_iso_date(text, value)) {
    dates_.push_back(value);
  } else if (parse_decimal_comma(text, value)) {
    comma_numbers_.push_back(value);
    ++commas_;
    grouped_ += has_grouped_digits(text);
  } else if (has_grouped_digits(text)) {
    ++commas_;
    ++grouped_;
  } else if (is_unclear_date(text)) {
    ++unclear_dates_;
  }
}

// One or two odd words, or one in ten, are slips of the pen; more are meant.
bool ColumnProfile::is_mostly(int64_t part) const {
  const int64_t others = present_ - part;
  return part > 0 && others <= part && others <= std::max<int64_t>(2, present_ / 10);
}

bool ColumnProfile::is_numeric() const {
  if (wish_ == ColumnWish::kNumeric) return true;
  return is_mostly(static_cast<int64_t>(numbers_.size()) + commas_);
}

bool ColumnProfile::is_date() const { return is_mostly(static_cast<int64_t>(dates_.size())); }

bool ColumnProfile::needs_levels() const {
  if (wish_ == ColumnWish::kCategorical) return present_ > 0;
  return wish_ != ColumnWish::kDrop && present_ > 0 && !is_numeric() && !is_date() &&
         !is_mostly(unclear_dates_);
}

void ColumnProfile::add_level(const std::string& text) {
  if (is_missing(text)) return;
  ++levels_[text];
  bytes_ += static_cast<int64_t>(text.size());
  blanks_ += std::count(text.begin(), text.end(), ' ');
}

TableColumn ColumnProfile::column(bool comma_separates) {
  TableColumn column;
  column.name = name_;
  column.missing = missing_;
  if (wish_ == ColumnWish::kDrop) {
    column.kind = ColumnKind::kDropped;
  } else if (present_ == 0) {
    column.kind = ColumnKind::kEmpty;
  } else if (needs_levels()) {
    describe_texts(column);
  } else if (is_numeric()) {
    // Thousands in quotes look the same as decimals: then neither is assumed, and the first is
    // named.
    const bool unsure = comma_separates && commas_ == grouped_;
    column.decimal_comma = commas_ > 0 && points_ == 0 && !unsure;
    if (column.decimal_comma) {
      numbers_.insert(numbers_.end(), comma_numbers_.begin(), comma_numbers_.end());
    }
    describe_numbers(column, numbers_);
  } else if (is_date()) {
    column.kind = ColumnKind::kDate;
    describe_numbers(column, dates_);
  } else {
    column.kind = ColumnKind::kUnclearDate;
  }
  return column;
}

void ColumnProfile::describe_numbers(TableColumn& column, std::vector<double>& values) const {
  std::sort(values.begin(), values.end());
  if (values.empty()) return;
  const size_t middle = values.size() / 2;
  column.lowest = values.front();
  column.highest = values.back();
  column.median =
      values.size() % 2 == 1 ? values[middle] : values[middle - 1] / 2 + values[middle] / 2;
  // Features are float32, and what is equal there tells nothing apart.
  const bool constant = static_cast<float>(column.lowest) == static_cast<float>(column.highest) &&
                        static_cast<int64_t>(values.size()) == present_;
  const bool whole = std::all_of(values.begin(), values.end(), is_whole);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  column.distinct = static_cast<int64_t>(values.size());
  column.indicator = missing_ > 0;
  column.varies = !constant;
  if (constant && missing_ == 0) column.kind = ColumnKind::kConstant;
  const bool all_differ = column.distinct == present_ && missing_ == 0 && present_ > 1;
  if (wish_ == ColumnWish::kNone && column.kind == ColumnKind::kNumeric && whole && all_differ &&
      is_id_name(name_)) {
    column.kind = ColumnKind::kIdentifier;
  }
}

void ColumnProfile::describe_texts(TableColumn& column) const {
  column.distinct = static_cast<int64_t>(levels_.size());
  int64_t shared = 0;  // rows whose text another row has too
  for (const auto& [text, count] : levels_) shared += count > 1 ? count : 0;
  const bool is_short = bytes_ <= kLongestLevel * present_;
  if (wish_ == ColumnWish::kCategorical || (is_short && 2 * shared >= present_)) {
    column.kind = ColumnKind::kCategorical;
    column.indicator = missing_ > 0;
    column.varies = column.distinct > 1;
    if (column.varies) choose_levels(column);
    if (!column.varies && missing_ == 0) column.kind = ColumnKind::kConstant;
  } else if (column.distinct == present_ && missing_ == 0 && bytes_ <= kLongestName * present_ &&
             blanks_ < 2 * present_) {
    column.kind = ColumnKind::kIdentifier;
  } else {
    column.kind = ColumnKind::kText;
  }
}

void ColumnProfile::choose_levels(TableColumn& column) const {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [text, count] : levels_) order.emplace_back(-count, text);
  std::sort(order.begin(), order.end());  // most frequent first
  const auto part = static_cast<int64_t>(std::ceil(kRarePart * static_cast<double>(present_)));
  const int64_t fewest = std::max<int64_t>(2, std::min(kNeverRare, part));
  const auto is_rare = [&](const auto& level) { return -level.first < fewest; };
  size_t kept =
      static_cast<size_t>(std::find_if(order.begin(), order.end(), is_rare) - order.begin());
  if (kept == 0) kept = order.size();  // all are rare: then pooling them would tell nothing
  kept = std::min(kept, kMostLevels);
  column.other = kept < order.size();
  order.resize(kept);
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const auto& [count, text] : order) {
    column.levels.push_back(text);
    column.level_counts.push_back(-count);
  }
}

}  // namespace glgnn
