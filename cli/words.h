// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace glgnn::cli {

std::string percent(double fraction);       // "98.6 %"
std::string duration_text(double seconds);  // "0.8 s", "12 s", "3 min 20 s", "2 h 5 min"
std::string memory_text(int64_t bytes);     // "4 MB", "1.2 GB"
std::string joined(const std::vector<std::string>& items, const std::string& between);

// Breaks at spaces so that no line is longer than `width` (0: one line).
std::vector<std::string> wrapped(const std::string& text, size_t width);

}  // namespace glgnn::cli
