#include "kernels/hops.h"

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <set>

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

// Row 0 is joined to all odd rows, row 1 to the even ones of the first half, every row to the next.
SharedPattern hubs(int64_t n) {
  std::vector<std::set<int32_t>> rows(n);
  const auto join = [&](int64_t i, int64_t j) {
    rows[i].insert(static_cast<int32_t>(j));
    rows[j].insert(static_cast<int32_t>(i));
  };
  for (int64_t i = 2; i < n; ++i) {
    if (i % 2 == 1) join(0, i);
    if (i % 2 == 0 && i < n / 2) join(1, i);
    join(i, i - 1);
  }
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = n;
  for (const auto& row : rows) {
    pattern->col.insert(pattern->col.end(), row.begin(), row.end());
    pattern->row_ptr.push_back(pattern->nnz());
  }
  return pattern;
}

int64_t distance_in(const RowMarks& marks, int64_t column, int64_t hops) {
  int64_t d = 0;
  while (
      d < hops &&
      !(marks.words[d * marks.stride + column / kMarkedColumns] >> (column % kMarkedColumns) & 1)) {
    ++d;
  }
  return d + 1;
}

// All columns at once, by parts, and pair by pair.
TEST(HopShells, KnowsTheDistancesOfARing) {
  for (const int64_t n : {40, 1000, 5000}) {
    const auto graph = std::make_shared<Pattern>(ring(n));
    const HopShells shells(graph, 3);
    EXPECT_FALSE(shells.is_symmetric());
    std::vector<uint64_t> room(3 * shells.words());
    for (int64_t i = 0; i < n; i += n / 20) {
      // Steps of 1 and 5: one step reaches 1 5, two reach 2 6 10, three reach 3 7 11 15.
      std::vector<int> expected(n, 4);
      for (const auto& [step, distance] : std::vector<std::pair<int, int>>{
               {1, 1}, {5, 1}, {2, 2}, {6, 2}, {10, 2}, {3, 3}, {7, 3}, {11, 3}, {15, 3}}) {
        expected[(i + step) % n] = distance;
      }
      const RowMarks marks = shells.marks(i, 0, shells.words(), room.data());
      for (int64_t j = 0; j < n; ++j) {
        ASSERT_EQ(distance_in(marks, j, 3), expected[j]) << i << " to " << j << " of " << n;
      }
    }
  }
}

TEST(HopShells, MarksOfSomeColumnsAreThoseOfAll) {
  for (const int64_t hops : {1, 2, 3}) {
    const HopShells shells(hubs(700), hops);
    EXPECT_TRUE(shells.is_symmetric());
    const int64_t words = shells.words();
    std::vector<uint64_t> whole(hops * words), part(hops * words);
    for (int64_t i = 0; i < 700; i += 7) {
      const RowMarks all = shells.marks(i, 0, words, whole.data());
      for (const auto& [first, count] : std::vector<std::pair<int64_t, int64_t>>{
               {0, 1}, {3, 5}, {words - 2, 2}, {i / kMarkedColumns, 1}}) {
        const RowMarks some = shells.marks(i, first, count, part.data());
        for (int64_t d = 0; d < hops; ++d) {
          for (int64_t w = 0; w < count; ++w) {
            ASSERT_EQ(some.words[d * some.stride + w], all.words[d * all.stride + first + w]);
          }
        }
      }
    }
  }
}

// Half of all pairs meet in two steps over a hub: memory must not grow with them.
TEST(HopShells, HoldsNoMoreThanTheGraphHas) {
  constexpr int64_t kRows = 6000;
  const SharedPattern graph = hubs(kRows);
  const HopShells shells(graph, 2);
  std::vector<uint64_t> room(2 * shells.words());
  int64_t near = 0;
  for (int64_t i = 0; i < kRows; ++i) {
    const RowMarks marks = shells.marks(i, 0, shells.words(), room.data());
    for (int64_t w = 0; w < shells.words(); ++w) {
      near += std::popcount(marks.words[marks.stride + w]);
    }
  }
  EXPECT_GT(near, kRows * kRows / 4);
  EXPECT_LT(shells.stored(), 3 * graph->nnz() + kRows);
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
