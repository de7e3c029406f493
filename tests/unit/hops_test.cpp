#include "kernels/hops.h"

#include <gtest/gtest.h>

namespace glgnn {
namespace {

// Row i points to i + 1 and i + 5 on a ring of n rows: the distances are known in closed form.
Pattern ring(int64_t n) {
  Pattern pattern;
  pattern.rows = pattern.cols = n;
  for (int64_t i = 0; i < n; ++i) {
    int32_t a = static_cast<int32_t>((i + 1) % n), b = static_cast<int32_t>((i + 5) % n);
    if (a > b) std::swap(a, b);
    pattern.col.push_back(a);
    pattern.col.push_back(b);
    pattern.row_ptr.push_back(pattern.nnz());
  }
  return pattern;
}

// Both ways of searching: rows of bits for few rows, lists for many (and long rows, read by words).
TEST(HopShells, KnowsTheDistancesOfARing) {
  for (const int64_t n : {40, 1000, 16384, 16385}) {
    const Pattern graph = ring(n);
    for (const int threads : {1, 3}) {
      const HopPairs pairs = hop_shells(graph.view(), 3, threads);
      ASSERT_EQ(pairs.near.rows, n);
      for (int64_t i = 0; i < n; ++i) {
        // Steps of 1 and 5: one step reaches 1 5, two reach 2 6 10, three reach 3 7 11 15.
        std::vector<std::pair<int32_t, int>> expected;
        for (const auto& [step, distance] : std::vector<std::pair<int, int>>{
                 {1, 1}, {5, 1}, {2, 2}, {6, 2}, {10, 2}, {3, 3}, {7, 3}, {11, 3}, {15, 3}}) {
          expected.emplace_back(static_cast<int32_t>((i + step) % n), distance);
        }
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(pairs.near.view().row_size(i), static_cast<int64_t>(expected.size()));
        for (size_t p = 0; p < expected.size(); ++p) {
          const int64_t e = pairs.near.row_ptr[i] + static_cast<int64_t>(p);
          ASSERT_EQ(pairs.near.col[e], expected[p].first) << "row " << i << " of " << n;
          ASSERT_EQ(pairs.distance[e], expected[p].second) << "row " << i << " of " << n;
        }
      }
    }
  }
}

// All rows of a star meet in two steps: those that do not are listed, for memory must not grow with
// the square of N.
TEST(HopShells, DoesNotListTheSecondShellOfAStar) {
  for (const int64_t n : {4200, 16400}) {
    Pattern star;
    star.rows = star.cols = n;
    for (int64_t i = 0; i < n; ++i) {
      if (i == 0) {
        for (int32_t j = 1; j < n; ++j) star.col.push_back(j);
      } else {
        star.col.push_back(0);
      }
      star.row_ptr.push_back(star.nnz());
    }
    const HopPairs pairs = hop_shells(star.view(), 2, 2);
    EXPECT_EQ(pairs.unlisted, 1);            // the place of V_2
    EXPECT_EQ(pairs.near.nnz(), 3 * n - 2);  // the edges both ways, and each row itself
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t e = pairs.near.row_ptr[i]; e < pairs.near.row_ptr[i + 1]; ++e) {
        const int32_t j = pairs.near.col[e];
        ASSERT_EQ(pairs.distance[e], j == i ? 3 : 1);
        ASSERT_TRUE(j == i || i == 0 || j == 0);
      }
    }
  }
}

TEST(FindNear, ByWalkingAndBySearching) {
  Pattern near, kept;
  near.rows = near.cols = kept.rows = kept.cols = 2000;
  for (int64_t i = 0; i < 2000; ++i) {
    if (i == 0) {
      for (int32_t j = 0; j < 2000; j += 3) near.col.push_back(j);  // many: searched
      kept.col = {5, 9, 1998, 1999};
    } else if (i == 1) {
      near.col.insert(near.col.end(), {4, 7, 8});  // few: walked
      kept.col.insert(kept.col.end(), {3, 7, 9});
    }
    near.row_ptr.push_back(near.nnz());
    kept.row_ptr.push_back(kept.nnz());
  }
  std::vector<int64_t> found(kept.nnz());
  find_near(found.data(), kept.view(), near.view(), 1);
  EXPECT_EQ(found, (std::vector<int64_t>{-1, 3, 666, -1, -1, 668, -1}));
}

}  // namespace
}  // namespace glgnn
