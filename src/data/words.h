// Words of texts, which a table of texts is read by.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace glgnn {

// In their order and without their case: letters and digits beside each other; single Latin letters
// and digits are left out.
std::vector<std::string> words_of(std::string_view text);

// How many texts have each word; `texts`: how often each text comes.
std::map<std::string, int64_t> count_words(const std::unordered_map<std::string, int64_t>& texts);

}  // namespace glgnn
