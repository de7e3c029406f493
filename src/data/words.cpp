#include "data/words.h"

#include <cctype>
#include <set>

#include "data/values.h"

namespace glgnn {
namespace {

// How many bytes of UTF-8 at the front are no part of a word: ASCII marks, the marks beside them in
// Latin-1 (a guillemet, say), and general punctuation (dashes, typographic quotes).
size_t mark_at(std::string_view text) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned char>(i < text.size() ? text[i] : 0);
  };
  if (byte(0) < 0x80) return std::isalnum(byte(0)) ? 0 : 1;
  if (byte(0) == 0xC2) return 2;
  if (byte(0) == 0xE2 && (byte(1) == 0x80 || byte(1) == 0x81)) return 3;
  return 0;
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  const std::string small = lower_case(text);
  std::vector<std::string> words(1);
  for (size_t at = 0; at < small.size();) {
    const size_t mark = mark_at(std::string_view(small).substr(at));
    if (mark == 0) {
      words.back() += small[at++];
      continue;
    }
    at += mark;
    if (!words.back().empty()) words.emplace_back();
  }
  std::erase_if(words, [](const std::string& word) { return word.size() < 2; });
  return words;
}

std::map<std::string, int64_t> count_words(const std::unordered_map<std::string, int64_t>& texts) {
  std::map<std::string, int64_t> rows;
  for (const auto& [text, count] : texts) {
    const std::vector<std::string> words = words_of(text);
    for (const std::string& word : std::set<std::string>(words.begin(), words.end())) {
      rows[word] += count;
    }
  }
  return rows;
}

}  // namespace glgnn
