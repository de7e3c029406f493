#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "best_util.h"
#include "modules/feature_products.h"
#include "modules/views.h"

namespace glgnn {
namespace {

using test::dense_features;
using test::sparse_features;

double length(const float* row, int64_t n) {
  double squares = 0;
  for (int64_t f = 0; f < n; ++f) squares += double{row[f]} * row[f];
  return std::sqrt(squares);
}

TEST(BestViews, StandardHasMeanZeroAndVarianceOne) {
  const Features raw = dense_features({{1, 1e6f, 5, 1e-20f},
                                       {2, 1e6f + 1, 5, 3e-20f},
                                       {3, 1e6f + 2, 5, 2e-20f},
                                       {10, 1e6f + 9, 5, 7e-20f}});
  Views views(raw, Context{1});
  const Features& z = views.get(View::kStandard);
  for (const int64_t f : {0, 1, 3}) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < 4; ++i) sum += z.dense[i][f], squares += z.dense[i][f] * z.dense[i][f];
    EXPECT_NEAR(sum, 0, 1e-5);
    EXPECT_NEAR(squares / 4, 1, 1e-5);
  }
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(z.dense[i][2], 0.0f) << "a constant column";
}

TEST(BestViews, SparseFeaturesOfFewColumnsAreStandardisedWithTheirZeros) {
  const std::vector<std::vector<float>> rows{{3, 0, 1}, {0, 0, 1}, {0, 2, 1}, {0, 0, 1}};
  const Features dense = dense_features(rows), sparse = sparse_features(rows);
  Views dense_views(dense, Context{1}), sparse_views(sparse, Context{1});
  for (const View view : {View::kStandard, View::kRank}) {
    EXPECT_FALSE(sparse_views.get(view).is_sparse);
    EXPECT_TRUE(test::same_bits(sparse_views.get(view).dense, dense_views.get(view).dense));
  }
}

TEST(BestViews, RankScoresAreMonotoneSymmetricAndBlindToScale) {
  const std::vector<float> skewed{3, 100, 1, 2, 1e9f, 4, -7};
  std::vector<std::vector<float>> rows;
  for (const float x : skewed) rows.push_back({x, std::cbrt(x), 4.0f});
  const Features raw = dense_features(rows);
  Views views(raw, Context{1});
  const Matrix& z = views.get(View::kRank).dense;
  std::vector<std::pair<float, float>> order;
  for (int64_t i = 0; i < 7; ++i) {
    order.emplace_back(skewed[i], z[i][0]);
    EXPECT_EQ(z[i][0], z[i][1]) << "a monotone change of a column";
    EXPECT_NEAR(z[i][2], 0, 1e-7) << "a constant column";
  }
  std::sort(order.begin(), order.end());
  for (size_t r = 1; r < order.size(); ++r) EXPECT_LT(order[r - 1].second, order[r].second);
  for (size_t r = 0; r < order.size(); ++r) {
    EXPECT_NEAR(order[r].second, -order[order.size() - 1 - r].second, 1e-6);
  }
  // The normal distribution is below 1.4652 with probability 1 - 0.5 / 7.
  EXPECT_NEAR(order.back().second, 1.4652, 1e-4);
}

TEST(BestViews, EqualNumbersShareTheirMeanRank) {
  const Features raw = dense_features({{0}, {0}, {0}, {1}});
  Views views(raw, Context{1});
  const Matrix& z = views.get(View::kRank).dense;
  EXPECT_EQ(z[0][0], z[1][0]);
  EXPECT_EQ(z[0][0], z[2][0]);
  EXPECT_NEAR(z[0][0], -0.31864, 1e-4);  // 3 / 8
  EXPECT_NEAR(z[3][0], 1.15035, 1e-4);   // 7 / 8
}

TEST(BestViews, RawIsDividedByTheLargestSize) {
  const Features raw = dense_features({{2, -8}, {4, 0}});
  Views views(raw, Context{1});
  const Matrix& z = views.get(View::kRaw).dense;
  EXPECT_EQ(z[0][0], 0.25f);
  EXPECT_EQ(z[0][1], -1.0f);
  const Features zeros = dense_features({{0, 0}, {0, 0}});
  Views of_zeros(zeros, Context{1});
  EXPECT_EQ(of_zeros.get(View::kRaw).dense[1][1], 0.0f);
}

TEST(BestViews, TfidfRowsHaveLengthOneAndRareFeaturesCountMore) {
  const std::vector<std::vector<float>> rows{{1, 1, 0}, {2, 0, 0}, {3, 0, 0}, {0, 0, 0}};
  const Features dense = dense_features(rows), sparse = sparse_features(rows);
  Views dense_views(dense, Context{1}), sparse_views(sparse, Context{1});
  const Matrix& z = dense_views.get(View::kTfidf).dense;
  for (const int64_t i : {0, 1, 2}) EXPECT_NEAR(length(z[i], 3), 1, 1e-6);
  EXPECT_EQ(length(z[3], 3), 0) << "an empty row stays empty";
  // log(5 / 4) + 1 against log(5 / 2) + 1
  EXPECT_NEAR(z[0][1] / z[0][0], (std::log(2.5) + 1) / (std::log(1.25) + 1), 1e-5);
  Features back = sparse_views.get(View::kTfidf);
  ASSERT_TRUE(back.is_sparse);
  make_dense(back);
  EXPECT_TRUE(test::same_bits(back.dense, z));
}

TEST(BestViews, UnitRowsOfSparseAndDenseAgree) {
  const std::vector<std::vector<float>> rows{{3, 0, 4}, {0, 0, 0}, {0, 2, 0}};
  const Features sparse = sparse_features(rows);
  Views views(sparse, Context{1});
  Features unit = views.get(View::kUnit);
  make_dense(unit);
  EXPECT_NEAR(unit.dense[0][0], 0.6, 1e-7);
  EXPECT_NEAR(unit.dense[0][2], 0.8, 1e-7);
  EXPECT_EQ(unit.dense[2][1], 1.0f);
}

TEST(BestViews, AViewIsMadeOnceAndEveryViewHasItsName) {
  const Features raw = dense_features({{1, 2}, {3, 5}, {6, 1}});
  Views views(raw, Context{1});
  EXPECT_EQ(&views.get(View::kUnit), &views.get(View::kUnit));
  EXPECT_EQ(view_name(View::kRaw), "raw");
  EXPECT_EQ(view_name(View::kSvd64), "svd64");
  EXPECT_EQ(views.get(View::kSvd64).dense.cols(), 2) << "no more directions than columns";
}

// Column c of a Hadamard matrix of size n, scaled to length 1.
float hadamard(int64_t row, int64_t column, int64_t n) {
  const int sign = __builtin_popcountll(static_cast<uint64_t>(row & column)) % 2 ? -1 : 1;
  return static_cast<float>(sign / std::sqrt(static_cast<double>(n)));
}

// sum over r of s_r u_r v_r^T, N = 64, F = 32.
Features with_singular_values(const std::vector<float>& s) {
  Features x;
  x.dense = Matrix(64, 32);
  for (int64_t i = 0; i < 64; ++i) {
    for (int64_t f = 0; f < 32; ++f) {
      for (size_t r = 0; r < s.size(); ++r) {
        const auto column = static_cast<int64_t>(3 * r + 1);
        x.dense[i][f] += s[r] * hadamard(i, column, 64) * hadamard(f, column, 32);
      }
    }
  }
  return x;
}

TEST(BestSvd, FindsKnownSingularValuesAndDirections) {
  const std::vector<float> s{9, 5, 2, 0.5f};
  Features x = with_singular_values(s);
  for (const bool sparse : {false, true}) {
    if (sparse) make_sparse(x);
    const Matrix scores = leading_directions(x, 3, 1).scores;
    ASSERT_EQ(scores.rows(), 64);
    ASSERT_EQ(scores.cols(), 3);
    for (int64_t r = 0; r < 3; ++r) {
      double along = 0, squares = 0;
      for (int64_t i = 0; i < 64; ++i) {
        along += scores[i][r] * hadamard(i, 3 * r + 1, 64);
        squares += scores[i][r] * scores[i][r];
      }
      EXPECT_NEAR(std::abs(along), s[r], 1e-4);
      EXPECT_NEAR(std::sqrt(squares), s[r], 1e-4);
    }
  }
}

TEST(BestSvd, SameBitsForAnyNumberOfThreads) {
  test::Table table;
  test::make_documents(table, 700, 6, 12);
  Views views(table.features, Context{1});
  const Features& x = views.get(View::kTfidf);
  const Matrix one = leading_directions(x, 32, 1).scores;
  for (const int threads : {2, 3}) {
    EXPECT_TRUE(test::same_bits(one, leading_directions(x, 32, threads).scores));
  }
  // As in a fit that runs several modules at once, where nothing beneath may start threads.
  Matrix in_parallel;
#pragma omp parallel num_threads(2)
#pragma omp single
  in_parallel = leading_directions(x, 32, 1).scores;
  EXPECT_TRUE(test::same_bits(one, in_parallel));
}

TEST(BestSvd, TheLargestNumberOfADirectionIsAboveZero) {
  Features x;
  x.dense = Matrix(300, 12);
  const Rng rng{.seed = 4};
  for (int64_t e = 0; e < x.dense.size(); ++e) {
    const auto wide = static_cast<float>(1 + e % 12);
    x.dense.data()[e] = wide * static_cast<float>(rng.normal(static_cast<uint64_t>(e)));
  }
  const Matrix directions = leading_directions(x, 8, 1).directions;
  for (int64_t r = 0; r < directions.cols(); ++r) {
    float largest = 0;
    for (int64_t f = 0; f < directions.rows(); ++f) {
      if (std::abs(directions[f][r]) > std::abs(largest)) largest = directions[f][r];
    }
    EXPECT_GT(largest, 0) << r;
  }
}

// Column 1 is the opposite of column 0, the others have nothing to do with any.
TEST(BestViews, JoinedColumnsHearThoseMostLikeThem) {
  constexpr int64_t kRows = 400, kColumns = 4;
  Features raw;
  raw.dense = Matrix(kRows, kColumns);
  const Rng rng{.seed = 5};
  for (int64_t i = 0; i < kRows; ++i) {
    for (int64_t f = 0; f < kColumns; ++f) {
      raw.dense[i][f] = 3 + rng.normal(static_cast<uint64_t>(i * kColumns + f));
    }
    raw.dense[i][1] = 7 - 2 * raw.dense[i][0];
  }
  const ViewRule rule = learn_view(View::kJoined, raw);
  const Features z = apply_view(learn_view(View::kStandard, raw), raw);
  const Matrix joined = apply_view(rule, raw).dense;
  const Pattern& pattern = *rule.heard.pattern;
  for (int32_t f = 0; f < kColumns; ++f) {
    float size = 1;
    std::vector<float> sum(kRows);
    for (int64_t i = 0; i < kRows; ++i) sum[i] = z.dense[i][f];
    for (int64_t e = pattern.row_ptr[f]; e < pattern.row_ptr[f + 1]; ++e) {
      const int32_t other = pattern.col[e];
      const float share = rule.heard.values[e];
      EXPECT_NE(other, f);
      if (f + other == 1)
        EXPECT_NEAR(share, -1, 1e-5);
      else
        EXPECT_LT(std::abs(share), 0.2);
      size += std::abs(share);
      for (int64_t i = 0; i < kRows; ++i) sum[i] += share * z.dense[i][other];
    }
    for (int64_t i = 0; i < kRows; ++i) EXPECT_NEAR(joined[i][f], sum[i] / size, 1e-5) << f;
  }
  EXPECT_TRUE(test::same_bits(joined, apply_view(learn_view(View::kJoined, raw, 3), raw, 3).dense));
  Views views(raw, Context{1});
  const RowViews again = views.fitted({View::kJoined}).of_rows(raw);
  EXPECT_TRUE(test::same_bits(again.at(View::kJoined).dense, views.get(View::kJoined).dense));
}

TEST(BestViews, SparseRowsThatHearOtherColumnsStaySparse) {
  // Columns 0 and 1 come together; the last row has one of them.
  std::vector<std::vector<float>> rows{
      {1, 1, 0, 0}, {2, 2, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}};
  const Features narrow = sparse_features(rows);
  for (std::vector<float>& row : rows) row.resize(kMostDenseColumns + 1);
  const Features raw = sparse_features(rows);
  const Features joined = apply_view(learn_view(View::kJoined, raw), raw);
  ASSERT_TRUE(joined.is_sparse);
  const Pattern& pattern = *joined.sparse.pattern;
  const std::vector<int32_t> last(pattern.col.begin() + pattern.row_ptr[4], pattern.col.end());
  EXPECT_EQ(last, (std::vector<int32_t>{0, 1}));
  EXPECT_NEAR(length(joined.sparse.values.data() + pattern.row_ptr[4], 2), 1, 1e-6);
  // Modules of tables read few columns as dense rows.
  const Features dense = apply_view(learn_view(View::kJoined, narrow), narrow);
  ASSERT_FALSE(dense.is_sparse);
  EXPECT_FLOAT_EQ(dense.dense[4][1], joined.sparse.values[pattern.row_ptr[4] + 1]);
  EXPECT_EQ(dense.dense[4][2], 0.0f);
}

TEST(BestViews, NumbersOfSomebodyElseAreCopiedOnce) {
  constexpr int64_t kRows = 3000, kColumns = 40;
  Features own;
  own.dense = Matrix(kRows, kColumns);
  const Rng rng{.seed = 3};
  for (int64_t e = 0; e < own.dense.size(); ++e) {
    own.dense.data()[e] = rng.normal(static_cast<uint64_t>(e));
  }
  Features shared;
  const Matrix kept = own.dense;
  const std::shared_ptr<const float> numbers(kept.data(), [](const float*) {});
  shared.dense = Matrix::share(numbers, kRows, kColumns);
  for (const View view : {View::kStandard, View::kRank}) {
    const ViewRule rule = learn_view(view, own, 1);
    for (const int threads : {1, 8}) {
      EXPECT_TRUE(
          test::same_bits(apply_view(rule, own, 1).dense, apply_view(rule, shared, threads).dense));
    }
  }
}

}  // namespace
}  // namespace glgnn
