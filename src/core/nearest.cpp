#include "core/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace glgnn {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Edit distance without regard to case. A name that is longer than any sensible one is near none.
size_t distance(std::string_view a, std::string_view b) {
  constexpr size_t kLongest = 100;
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& names,
                                       size_t limit) {
  std::vector<std::pair<size_t, size_t>> order;  // distance, position
  for (size_t i = 0; i < names.size(); ++i) order.emplace_back(distance(name, names[i]), i);
  std::sort(order.begin(), order.end());
  std::vector<std::string> out;
  for (size_t i = 0; i < std::min(limit, order.size()); ++i) out.push_back(names[order[i].second]);
  return out;
}

}  // namespace glgnn
