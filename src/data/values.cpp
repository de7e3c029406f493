#include "data/values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>

#include "data/text_rows.h"

namespace glgnn {
namespace {

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

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

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
