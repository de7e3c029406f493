// "Did you mean": the known names that are most like a misspelt one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace glgnn {

// The names most like `name` (case does not matter), best first; at most `limit`.
std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& names,
                                       size_t limit = 3);

}  // namespace glgnn
