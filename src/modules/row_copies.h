// Rows that are the same in every column, as most rows of a table of a few categories are. The
// nearest rows of each would be its copies alone, and no label would ever leave them.
#pragma once

#include <glgnn/matrix.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/parallel.h"
#include "modules/row_graph.h"

namespace glgnn {

struct RowCopies {
  std::vector<int32_t> group;              // of each row
  std::vector<std::vector<int32_t>> rows;  // of each group, ascending

  // Whether at least half of the rows are copies of another.
  bool crowd() const { return !group.empty() && 2 * rows.size() <= group.size(); }
};

inline RowCopies find_copies(const Matrix& x, int threads) {
  const auto same = [&](int64_t i, int64_t j) { return std::equal(x[i], x[i] + x.cols(), x[j]); };
  std::vector<uint64_t> key(static_cast<size_t>(x.rows()));
  for_row_ranges(x.rows(), x.size(), threads, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      uint64_t mixed = 0;
      for (int64_t f = 0; f < x.cols(); ++f) {
        // A zero has one sign here: both are the same number.
        mixed = (mixed ^ std::bit_cast<uint32_t>(x[i][f] + 0.0f)) * 0x9e3779b97f4a7c15;
        mixed ^= mixed >> 32;
      }
      key[i] = mixed;
    }
  });
  RowCopies copies;
  std::unordered_map<uint64_t, int32_t> group_of;
  for (int64_t i = 0; i < x.rows(); ++i) {
    uint64_t place = key[i];
    auto found = group_of.find(place);
    while (found != group_of.end() && !same(i, copies.rows[found->second].front())) {
      found = group_of.find(++place);
    }
    if (found == group_of.end()) {
      found = group_of.emplace(place, static_cast<int32_t>(copies.rows.size())).first;
      copies.rows.emplace_back();
    }
    copies.group.push_back(found->second);
    copies.rows[found->second].push_back(static_cast<int32_t>(i));
  }
  return copies;
}

// The first row of every group.
inline Matrix distinct_rows(const Matrix& x, const RowCopies& copies) {
  Matrix out(static_cast<int64_t>(copies.rows.size()), x.cols());
  for (int64_t g = 0; g < out.rows(); ++g) {
    std::copy_n(x[copies.rows[g].front()], x.cols(), out[g]);
  }
  return out;
}

// Neighbours of rows, given those of the groups: in turn a copy of the row and the first row of the
// nearest other group, so that at most half of a row's k nearest are its copies, whatever k is.
inline NearestRows neighbours_beside_copies(const NearestRows& of_groups, const RowCopies& copies,
                                            int64_t k) {
  const auto n = static_cast<int64_t>(copies.group.size());
  const int64_t wide = std::min(k, n - 1);
  NearestRows out{wide, std::vector<int32_t>(n * wide), std::vector<int64_t>(n, 0)};
  for (int64_t i = 0; i < n; ++i) {
    const int32_t own = copies.group[i];
    const std::vector<int32_t>& alike = copies.rows[own];
    const auto add = [&](int32_t row) { out.col[i * wide + out.count[i]++] = row; };
    size_t next = 0;
    for (int64_t other = 0; out.count[i] < wide; ++other) {
      if (next < alike.size() && alike[next] == i) ++next;
      if (next < alike.size()) add(alike[next++]);
      const bool is_left = other < of_groups.count[own];
      if (is_left && out.count[i] < wide) {
        add(copies.rows[of_groups.col[own * of_groups.wide + other]].front());
      }
      if (!is_left && next >= alike.size()) break;
    }
  }
  return out;
}

}  // namespace glgnn
