// Rows in a random order that depends on nothing but the generator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/rng.h"

namespace glgnn {

// A row's place does not depend on the place it came in.
inline std::vector<int32_t> shuffled_rows(std::vector<int32_t> rows, const Rng& rng) {
  std::vector<std::pair<uint64_t, int32_t>> keyed;
  for (const int32_t row : rows) {
    const auto bits = rng.block(static_cast<uint64_t>(row));
    keyed.emplace_back(static_cast<uint64_t>(bits[0]) << 32 | bits[1], row);
  }
  std::sort(keyed.begin(), keyed.end());
  for (size_t r = 0; r < rows.size(); ++r) rows[r] = keyed[r].second;
  return rows;
}

}  // namespace glgnn
