#include "ops/pattern_work.h"

#include <gtest/gtest.h>

namespace glgnn {
namespace {

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
