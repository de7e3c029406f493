// Sparse patterns: hops in them, columns that rows share, what is kept of them.
#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <set>

#include "core/rng.h"
#include "kernels/edges.h"
#include "kernels/hops.h"
#include "ops/pattern_work.h"

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

// Each entry is there with probability `part`.
Pattern random_pattern(int64_t rows, int64_t cols, double part, uint32_t owner) {
  const Rng rng{5, Stream::kInit, owner, 0};
  Pattern pattern;
  pattern.rows = rows;
  pattern.cols = cols;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      if (rng.uniform(static_cast<uint64_t>(i * cols + j)) < part) {
        pattern.col.push_back(static_cast<int32_t>(j));
      }
    }
    pattern.row_ptr.push_back(pattern.nnz());
  }
  return pattern;
}

std::vector<float> random_values(int64_t n, uint32_t owner) {
  const Rng rng{6, Stream::kInit, owner, 0};
  std::vector<float> values(n);
  for (int64_t e = 0; e < n; ++e) values[e] = rng.normal(static_cast<uint64_t>(e));
  return values;
}

TEST(SharedColumns, AreThoseThatBothRowsHave) {
  Pattern rows;
  rows.rows = 2, rows.cols = 6;
  rows.row_ptr = {0, 3, 7};
  rows.col = {1, 3, 5, 0, 1, 4, 5};
  Pattern pairs;
  pairs.rows = pairs.cols = 2;
  pairs.row_ptr = {0, 1, 2};
  pairs.col = {1, 1};
  const SharedColumns shared = find_shared_columns(pairs.view(), rows.view(), 1);
  EXPECT_EQ(shared.ptr, (std::vector<int64_t>{0, 2, 6}));
  EXPECT_EQ(shared.left, (std::vector<int32_t>{0, 2, 0, 1, 2, 3}));
  EXPECT_EQ(shared.right, (std::vector<int32_t>{1, 3, 0, 1, 2, 3}));
}

// The reference of edge_dot is op_check's; here the bits of its fast kernel are met.
TEST(SharedColumns, EdgeDotHasTheSameBits) {
  for (const double part : {0.02, 0.2, 0.7}) {
    const Pattern rows = random_pattern(90, 61, part, 1), pairs = random_pattern(90, 90, 0.1, 2);
    const Transpose by_column = transpose(rows.view()), transposed = transpose(pairs.view());
    const std::vector<float> z = random_values(rows.nnz(), 3), d_s = random_values(pairs.nnz(), 4);
    const ZSparse<float> view{rows.view(), z.data(), by_column.pattern.view(),
                              by_column.source.data()};
    std::vector<float> s(pairs.nnz()), d_z = random_values(rows.nnz(), 5);
    const std::vector<float> start = d_z;
    cpu::edge_dot_forward(s.data(), pairs.view(), view, 1);
    cpu::edge_dot_backward(d_z.data(), d_s.data(), pairs.view(), transposed.view(), view, 1);
    for (const int threads : {1, 3}) {
      const SharedColumns shared = find_shared_columns(pairs.view(), rows.view(), threads);
      std::vector<float> found(pairs.nnz()), d_found = start;
      cpu::edge_dot_forward(found.data(), pairs.view(), shared, rows.view(), z.data(), threads);
      cpu::edge_dot_backward(d_found.data(), d_s.data(), pairs.view(), transposed.view(), shared,
                             rows.view(), z.data(), threads);
      EXPECT_EQ(found, s);
      EXPECT_EQ(d_found, d_z);
    }
  }
}

SharedPattern pattern_of(const std::vector<std::vector<int32_t>>& rows) {
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = static_cast<int64_t>(rows.size());
  for (const auto& row : rows) {
    pattern->col.insert(pattern->col.end(), row.begin(), row.end());
    pattern->row_ptr.push_back(pattern->nnz());
  }
  return pattern;
}

TEST(PatternWork, IsMadeOnceAndRight) {
  PatternWork work(pattern_of({{1, 2}, {1}, {0}}));
  const auto transposed = work.transposed();
  EXPECT_EQ(transposed->pattern.col, (std::vector<int32_t>{2, 0, 1, 0}));
  EXPECT_EQ(transposed->source, (std::vector<int64_t>{3, 0, 2, 1}));
  EXPECT_EQ(work.transposed(), transposed);
  const auto loops = work.with_loops(1);
  EXPECT_EQ(loops->pattern.col, (std::vector<int32_t>{0, 1, 2, 1, 0, 2}));
  EXPECT_EQ(loops->source, (std::vector<int64_t>{-1, 0, 1, 2, 3, -1}));
  EXPECT_EQ(work.with_loops(1), loops);
  EXPECT_EQ(work.with_loops_transposed(1)->pattern.nnz(), 6);
  EXPECT_EQ(work.with_loops_transposed(1), work.with_loops_transposed(1));
}

TEST(PatternWork, SharesAreThoseOfTheHopsUntilForgotten) {
  PatternWork work(pattern_of({{1, 2}, {0}, {0}}));
  const HopPairs first = hop_shells(pattern_of({{1}, {0}, {}}), 1);
  const HopPairs second = hop_shells(pattern_of({{2}, {}, {0}}), 1);
  EXPECT_EQ(*work.hop_shares(first, 1), (std::vector<float>{1, 0, 0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(work.hop_shares(first, 1), work.hop_shares(first, 1));
  work.forget_hops();
  EXPECT_EQ(*work.hop_shares(second, 1), (std::vector<float>{0, 1, 1, 0, 0, 1, 1, 0}));
}

TEST(PatternWork, OfAnotherPatternIsNotTaken) {
  const SharedPattern one = pattern_of({{1}, {0}}), other = pattern_of({{1}, {0}});
  const auto kept = std::make_shared<PatternWork>(one);
  EXPECT_EQ(work_of(one, kept), kept);
  EXPECT_NE(work_of(other, kept), kept);
  EXPECT_NE(work_of(one, nullptr), nullptr);
}

}  // namespace
}  // namespace glgnn
