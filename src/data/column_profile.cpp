#include "data/column_profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "data/dates.h"
#include "data/labels.h"
#include "data/text_rows.h"
#include "data/words.h"

namespace glgnn {
namespace {

constexpr size_t kMostLevels = 50;
constexpr double kRarePart = 0.01;     // a level of fewer rows is rare ...
constexpr int64_t kNeverRare = 10;     // ... unless it has so many
constexpr int64_t kLongestLevel = 48;  // characters, on average
constexpr int64_t kLongestName = 24;
constexpr int64_t kOften = 10;  // rows of a text, on average
// Among so few different whole numbers, as few words that each come back so often are levels.
constexpr size_t kFewNumbers = 20, kFewWords = 5;
constexpr int64_t kComesBack = 3;
constexpr double kSecond = 1.0 / 86400;  // of a day

constexpr std::array kOrders{DateOrder::kYear, DateOrder::kDay, DateOrder::kMonth};

constexpr std::string_view kFraction = "0.5";  // a number in memory is written with a point

bool is_whole(double x) { return x == std::floor(x); }

bool is_long_whole(std::string_view text) {
  constexpr size_t kDigitsOfDouble = 15;
  return text.size() > kDigitsOfDouble &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// 1, 2, 3, ... or from 0 on, or from a number above years, down the file. Such a column tells
// nothing but the order of the rows, and would tell the classes of a table that is sorted by them.
bool counts_rows(const std::vector<double>& values) {
  constexpr size_t kFewest = 20;  // fewer rows may hold such numbers for another reason
  constexpr double kAfterYears = 3000;
  if (values.size() < kFewest) return false;
  if (values[0] != 0 && values[0] != 1 && values[0] < kAfterYears) return false;
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] != values[i - 1] + 1) return false;
  }
  return true;
}

bool is_of_nines(double x) {
  double nines = 99;
  while (nines < std::abs(x)) nines = 10 * nines + 9;
  return std::abs(x) == nines;
}

struct Repeated {
  double number = 0;
  int64_t rows = 0;
};

// The lowest or highest number where it is 99, -999 and the like, as many tables write a gap, and
// farther from the others than they are from each other.
Repeated far_number_of_nines(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [low, high] = std::ranges::minmax(values);
  for (const double end : {low, high}) {
    if (!is_of_nines(end)) continue;
    Rounding others;
    int64_t rows = 0;
    for (const double x : values) {
      rows += x == end;
      if (x != end) others.add(x);
    }
    const double gap = end == low ? others.lowest - end : end - others.highest;
    if (gap > others.highest - others.lowest && others.highest > others.lowest) return {end, rows};
  }
  return {};
}

}  // namespace

void ColumnProfile::add(const Cell& cell) {
  if (cell.is_gap) {
    ++missing_;
    minuses_ += is_sign(cell.text);
    return;
  }
  ++present_;
  signs_ += is_sign(cell.text);
  if (wish_ == ColumnWish::kCategorical || wish_ == ColumnWish::kDrop) return;
  double value = 0;
  if (cell.is_number || (parse_number(cell.text, value) && !std::isnan(value))) {
    numbers_.push_back(cell.is_number ? cell.number : value);
    long_wholes_ += is_long_whole(cell.text);
    styles_.add_plain(cell.is_number && !is_whole(cell.number) ? kFraction : cell.text);
    if (!cell.is_number && value == numbers_[0] && !exact_number(cell.text, value)) {
      like_first_.insert(label_key(std::string(cell.text)));
    }
    return;
  }
  const bool is_unknown = may_mean_unknown(cell.text);
  if (!is_unknown && words_.size() <= kFewWords) ++words_[std::string(cell.text)];
  if (cell.text.find_first_of("0123456789") == std::string_view::npos) {
    unknown_ += is_unknown;
    return;
  }
  if (parse_month(cell.text, value)) {
    ++(may_be_two_years(cell.text) ? months_or_years_ : dates_[0]);
    return;
  }
  styles_.add(cell.text);
  if (!looks_like_date(cell.text)) return;
  bool is_date = false;
  for (const DateOrder order : kOrders) {
    const bool fits = parse_date(cell.text, order, value);
    dates_[static_cast<size_t>(order)] += fits;
    is_date = is_date || fits;
  }
  unclear_dates_ += !is_date;
}

// One or two odd words, or one in ten, are slips of the pen; more are meant.
bool ColumnProfile::is_mostly(int64_t part) const {
  const int64_t known = present_ - unknown_, others = known - part;
  return part > 0 && others <= part && others <= std::max<int64_t>(2, known / 10);
}

// Texts that are no plain numbers: a few, each of which comes back.
bool ColumnProfile::has_few_words() const {
  return !words_.empty() && words_.size() <= kFewWords &&
         std::ranges::all_of(words_, [](const auto& word) { return word.second >= kComesBack; });
}

// "cens" among 0, 1 and 2, "3+" among the children of a family, or "1 lb" among "10 oz".
bool ColumnProfile::words_are_levels() const {
  if (!has_few_words()) return false;
  if (styles_.units_differ()) return true;
  if (styles_.numbers() - styles_.bounds() != std::ssize(numbers_)) return false;
  std::set<double> different;
  for (const double number : numbers_) {
    if (!is_whole(number)) return false;
    different.insert(number);
    if (different.size() > kFewNumbers) return false;
  }
  return true;
}

// Digits of which no float holds as many are a hash or a number of an account.
bool ColumnProfile::are_names() const {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return long_wholes_ == present_ &&
         std::ranges::any_of(numbers_, [](double number) { return number > kLargest; });
}

// How many texts are dates in each order. "2011-12" is a month where most others are.
std::array<int64_t, 3> ColumnProfile::dates() const {
  std::array<int64_t, 3> dates = dates_;
  if (dates[0] >= months_or_years_) dates[0] += months_or_years_;
  return dates;
}

// What the first reading says; texts are called categorical until their levels are counted.
ColumnKind ColumnProfile::kind() const {
  if (wish_ == ColumnWish::kDrop) return ColumnKind::kDropped;
  if (present_ == 0) return ColumnKind::kEmpty;
  if (wish_ == ColumnWish::kNumeric) return ColumnKind::kNumeric;
  if (wish_ == ColumnWish::kCategorical) return ColumnKind::kCategorical;
  if (is_mostly(styles_.numbers())) {
    return words_are_levels() || are_names() ? ColumnKind::kCategorical : ColumnKind::kNumeric;
  }
  const auto [year, day, month] = dates();
  const int64_t most = most_dates();
  if (is_mostly(most))
    return most > year && day == month ? ColumnKind::kUnclearDate : ColumnKind::kDate;
  return is_mostly(most + unclear_dates_) ? ColumnKind::kUnclearDate : ColumnKind::kCategorical;
}

bool ColumnProfile::needs_second_reading(SignUses uses) {
  kind_ = kind();
  if (kind_ == ColumnKind::kNumeric || kind_ == ColumnKind::kDate) {
    present_ -= unknown_;
    missing_ += unknown_;
  }
  minuses_are_levels_ =
      kind_ == ColumnKind::kCategorical && signs_ == present_ && minuses_ > 0 && !minus_is_gap_;
  if (minuses_are_levels_) {
    missing_ -= minuses_;
    present_ += minuses_;
  }
  style_ = styles_.best(uses);
  uses_ = uses;
  const std::array<int64_t, 3> fits = dates();
  order_ = kOrders[static_cast<size_t>(std::ranges::max_element(fits) - fits.begin())];
  const bool are_read = is_plain(style_) && std::ssize(numbers_) == styles_.numbers();
  if (kind_ == ColumnKind::kNumeric && are_read) return false;
  numbers_.clear();
  return kind_ == ColumnKind::kNumeric || kind_ == ColumnKind::kDate ||
         kind_ == ColumnKind::kCategorical;
}

void ColumnProfile::add_again(const Cell& cell) {
  if (cell.is_gap && !(minuses_are_levels_ && is_sign(cell.text))) return;
  if (kind_ != ColumnKind::kCategorical) {
    double value = cell.number;
    const bool is_value =
        cell.is_number || (kind_ == ColumnKind::kDate ? parse_date(cell.text, order_, value)
                                                      : parse_number(cell.text, style_, value));
    if (is_value) numbers_.push_back(value);
    return;
  }
  const std::string text = cell_text(cell);
  ++levels_[text];
  bytes_ += static_cast<int64_t>(text.size());
  blanks_ += std::count(text.begin(), text.end(), ' ');
}

// Those of a column that the user calls categorical are meant.
void ColumnProfile::join_levels() {
  if (wish_ != ColumnWish::kNone) return;
  const Spellings spellings = join_spellings({levels_.begin(), levels_.end()});
  std::unordered_map<std::string, int64_t> joined;
  for (const auto& [text, name] : spellings.name_of) {
    joined[name] += levels_[text];
    if (name != text) spellings_.push_back(quote(text) + " is " + quote(name));
  }
  levels_ = std::move(joined);
}

TableColumn ColumnProfile::column() const {
  TableColumn column;
  column.name = name_;
  column.missing = missing_;
  column.kind = kind_;
  if (kind_ == ColumnKind::kCategorical) {
    describe_texts(column);
  } else if (kind_ == ColumnKind::kNumeric || kind_ == ColumnKind::kDate) {
    column.style = style_;
    column.order = order_;
    describe_numbers(column, numbers_);
  }
  return column;
}

std::string ColumnProfile::note(bool of_file) const {
  if (kind_ == ColumnKind::kNumeric) return note_of_numbers(of_file);
  if (kind_ != ColumnKind::kCategorical || wish_ != ColumnWish::kNone) return "";
  const bool are_levels = styles_.units_differ() && has_few_words();
  const bool has_others = styles_.numbers() < present_ && !are_levels;
  if (has_others && 2 * styles_.numbers() > present_) return note_of_most(false, of_file);
  if (2 * most_dates() > present_) return note_of_most(true, of_file);
  if (spellings_.empty() || column().kind != ColumnKind::kCategorical) return "";
  return "column " + quote(name_) +
         ": levels that differ only in their spelling are one: " + listed(spellings_) +
         (of_file ? "; --categorical" : "; the dtype category") + " keeps them apart";
}

std::string ColumnProfile::note_of_numbers(bool of_file) const {
  const bool may_group = style_.decimal_comma && !styles_.shows_comma();
  if (may_group && uses_.comma == SignUse::kUnclear) {
    return "column " + quote(name_) +
           ": 1,234 is read as 1.234; where commas separate thousands, take them out";
  }
  if (style_.grouping == 0 && styles_.may_group_points() && uses_.point == SignUse::kUnclear) {
    return "column " + quote(name_) +
           ": 1.234 is not read as 1234; where points separate thousands, take them out";
  }
  if (wish_ != ColumnWish::kNone) return "";
  if (const int64_t bounds = styles_.bounds(); bounds > 0) {
    return "column " + quote(name_) + ": " + quote(styles_.first_bound()) +
           " is read as its number, as " + counted(bounds, "bound") +
           (bounds == 1 ? " is; " : " are; ") + (of_file ? "--categorical" : "the dtype category") +
           " keeps them apart";
  }
  const Repeated code = far_number_of_nines(numbers_);
  if (code.rows < kComesBack) return "";
  const std::string text = cell_text({.number = code.number, .is_number = true});
  return "column " + quote(name_) + ": " + text + " in " + counted(code.rows, "row") +
         " is far from all other values; if it means a gap " +
         (of_file ? "use --missing " + text : "put None in its place");
}

std::string ColumnProfile::note_of_most(bool are_dates, bool of_file) const {
  const ColumnKind kind = column().kind;
  if (kind == ColumnKind::kCategorical && !are_dates && is_mostly(styles_.numbers())) {
    const auto [word, rows] = *words_.begin();
    return "column " + quote(name_) + " has few numbers and " + quote(word) + " (" +
           counted(rows, "row") + "): its values are categories; " +
           (of_file ? "--missing " + quote(word) : "None in its place") + " makes numbers of it";
  }
  if (kind == ColumnKind::kConstant) return "";
  double ignored = 0;
  std::pair<int64_t, std::string> odd;  // the most frequent other text
  for (const auto& [text, count] : levels_) {
    const bool is_one =
        are_dates ? parse_date(text, order_, ignored) : parse_number(text, style_, ignored);
    if (!is_one) odd = std::max(odd, {count, text});
  }
  return "column " + quote(name_) + " is taken for " +
         (kind == ColumnKind::kCategorical ? "categories" : "text") + ", though " +
         std::to_string(are_dates ? most_dates() : styles_.numbers()) + " of " +
         counted(present_, "value") + " are " + (are_dates ? "dates: " : "numbers: ") +
         quote(odd.second) + " (" + counted(odd.first, "row") +
         ") is none; correct such values, or " +
         (of_file ? "name a word for gaps with --missing" : "put None in place of a gap");
}

void ColumnProfile::describe_numbers(TableColumn& column, std::vector<double> values) const {
  const bool is_counter = counts_rows(values);
  const bool rises = std::ranges::is_sorted(values, std::ranges::less_equal{});
  std::sort(values.begin(), values.end());
  if (values.empty()) return;
  const size_t middle = values.size() / 2;
  column.lowest = values.front();
  column.highest = values.back();
  column.median =
      values.size() % 2 == 1 ? values[middle] : values[middle - 1] / 2 + values[middle] / 2;
  // Whole numbers and days stay whole.
  const bool whole = std::all_of(values.begin(), values.end(), is_whole);
  const bool is_date = column.kind == ColumnKind::kDate;
  Rounding rounding;
  for (const double x : values) rounding.add(x);
  if (rounding.is_much() || (is_date && rounding.largest > kSecond)) {
    column.offset = whole || is_date ? std::floor(column.median) : column.median;
  }
  const auto lowest = static_cast<float>(column.lowest - column.offset);
  const bool constant = lowest == static_cast<float>(column.highest - column.offset) &&
                        std::isfinite(lowest) && static_cast<int64_t>(values.size()) == present_;
  values.erase(std::unique(values.begin(), values.end()), values.end());
  column.distinct = std::ssize(values);
  if (column.distinct == 1) column.distinct = std::max<int64_t>(1, std::ssize(like_first_));
  column.indicator = missing_ > 0;
  column.varies = !constant;
  if (constant && missing_ == 0) column.kind = ColumnKind::kConstant;
  const bool all_differ = column.distinct == present_ && missing_ == 0 && present_ > 1;
  if (wish_ == ColumnWish::kNone && column.kind == ColumnKind::kNumeric && whole && all_differ &&
      (is_counter || is_id_name(name_) || (rises && may_number_rows(name_)))) {
    column.kind = ColumnKind::kIdentifier;
  }
}

void ColumnProfile::describe_texts(TableColumn& column) const {
  column.distinct = static_cast<int64_t>(levels_.size());
  int64_t shared = 0;  // rows whose text another row has too
  for (const auto& [text, count] : levels_) shared += count > 1 ? count : 0;
  const bool is_short = bytes_ <= kLongestLevel * present_;
  const bool comes_back =
      kOften * column.distinct <= present_;  // long ones, as a question's answers
  if (wish_ == ColumnWish::kCategorical || (is_short && 2 * shared >= present_) || comes_back) {
    column.kind = ColumnKind::kCategorical;
    column.indicator = missing_ > 0;
    column.varies = column.distinct > 1;
    if (column.varies) choose_levels(column);
    if (!column.varies && missing_ == 0) column.kind = ColumnKind::kConstant;
  } else if (column.distinct == present_ && missing_ == 0 && blanks_ < 2 * present_ &&
             (bytes_ <= kLongestName * present_ || long_wholes_ == present_)) {
    column.kind = ColumnKind::kIdentifier;
  } else {
    column.kind = ColumnKind::kText;
  }
}

std::map<std::string, int64_t> ColumnProfile::words() const { return count_words(levels_); }

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
  // Where "A" is a level, "a" that is apart from it would be taken for it; and "-" for a gap.
  std::set<std::string> keys;
  for (size_t l = 0; l < kept; ++l) keys.insert(label_key(order[l].second));
  const auto is_apart = [&](const auto& level) {
    return is_missing(level.second) || keys.contains(label_key(level.second));
  };
  const auto pooled = std::stable_partition(order.begin() + static_cast<std::ptrdiff_t>(kept),
                                            order.end(), is_apart);
  column.other = pooled != order.end();
  order.erase(pooled, order.end());
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const auto& [count, text] : order) {
    column.levels.push_back(text);
    column.level_counts.push_back(-count);
  }
}

}  // namespace glgnn
