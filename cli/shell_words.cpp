#include "shell_words.h"

#include <cctype>
#include <string_view>

#include "words.h"

namespace glgnn::cli {
namespace {

bool is_plain(const std::string& word) {
  constexpr std::string_view kHarmless = "_-+=./:,@%";
  for (const char c : word) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && kHarmless.find(c) == kHarmless.npos) {
      return false;
    }
  }
  return !word.empty();
}

std::string quoted_word(const std::string& word) {
  if (is_plain(word)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string shell_words(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  for (const auto& argument : arguments) words.push_back(quoted_word(argument));
  return joined(words, " ");
}

}  // namespace glgnn::cli
