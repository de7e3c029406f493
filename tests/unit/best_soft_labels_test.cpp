#include <gtest/gtest.h>

#include <cmath>

#include "best_util.h"
#include "modules/module.h"
#include "modules/row_graph.h"
#include "modules/soft_labels.h"
#include "modules/spread.h"

namespace glgnn {
namespace {

using test::Table;

Matrix matrix_of(const std::vector<std::vector<float>>& rows) {
  return test::dense_features(rows).dense;
}

class BestSoftLabels : public ::testing::Test {
 protected:
  BestSoftLabels() {
    table_.features = test::dense_features({{0}, {1}, {2}, {3}, {4}, {5}});
    table_.labels = {0, 0, 1, 2, 1, 0};
    table_.problem = {.features = &table_.features,
                      .graph = nullptr,
                      .labels = {0, 0, 1, -1, 1, 0},
                      .train = {0, 1, 2},
                      .val = {4, 5},
                      .classes = 3};
  }
  Table table_;
  const Problem& problem_ = table_.problem;
};

TEST_F(BestSoftLabels, OneHotShowsTrainingRowsAlone) {
  const Matrix y = one_hot(problem_);
  EXPECT_EQ(y[1][0], 1);
  EXPECT_EQ(y[2][1], 1);
  for (const int64_t i : {3, 4, 5}) {
    for (int64_t c = 0; c < 3; ++c) EXPECT_EQ(y[i][c], 0) << i;
  }
}

TEST_F(BestSoftLabels, ClampGivesTrainingRowsTheirLabelsBack) {
  Matrix p(6, 3, 0.25f);
  clamp_training_rows(p, problem_);
  EXPECT_EQ(p[2][0], 0);
  EXPECT_EQ(p[2][1], 1);
  EXPECT_EQ(p[4][1], 0.25f);
}

TEST_F(BestSoftLabels, ClassSharesCountFromOne) {
  const std::vector<double> shares = class_shares(problem_);
  EXPECT_NEAR(shares[0], 3.0 / 6, 1e-12);
  EXPECT_NEAR(shares[1], 2.0 / 6, 1e-12);
  EXPECT_NEAR(shares[2], 1.0 / 6, 1e-12);
}

TEST_F(BestSoftLabels, RowsWithoutAnythingTakeTheSharesWhenNormalised) {
  Matrix p = matrix_of({{1, 3}, {0, 0}, {1e-20f, 0}});
  normalise_rows(p, {0.3, 0.7});
  EXPECT_EQ(p[0][0], 0.25f);
  EXPECT_EQ(p[1][0], 0.3f);
  EXPECT_EQ(p[1][1], 0.7f);
  EXPECT_EQ(p[2][0], 1.0f);
}

TEST_F(BestSoftLabels, ClassMassMovesTheBoundary) {
  Matrix p = matrix_of({{0.6f, 0.4f}, {0.7f, 0.3f}, {0.8f, 0.2f}, {0.9f, 0.1f}});
  match_class_mass(p, {0.5, 0.5});
  EXPECT_EQ(predicted_classes(p), (std::vector<int32_t>{1, 1, 0, 0}));
  EXPECT_TRUE(test::is_probabilities(p));
  Matrix none = matrix_of({{1, 0}, {1, 0}});  // a class that nothing belongs to
  match_class_mass(none, {0.5, 0.5});
  EXPECT_TRUE(test::is_probabilities(none));
}

TEST_F(BestSoftLabels, SoftmaxOfLargeNumbersStaysFinite) {
  Matrix p = matrix_of({{1000, 0}, {-1000, -1000}});
  softmax_rows(p);
  EXPECT_EQ(p[0][0], 1);
  EXPECT_EQ(p[1][0], 0.5f);
}

// Two chains of three rows with one label each, and two rows that no label reaches.
TEST_F(BestSoftLabels, SpreadLabelsReachTheirComponentAndNoMore) {
  const Csr given = test::graph_of(8, {{0, 1}, {1, 2}, {3, 4}, {4, 5}, {6, 7}});
  const Features x = test::dense_features({{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}});
  const Csr graph =
      build_row_graph({.views = {&x}, .given = &given}, {.k = 1, .euclidean = true}, Context{1});
  const Problem problem{.features = &x,
                        .graph = nullptr,
                        .labels = {0, -1, -1, 1, -1, -1, -1, -1},
                        .train = {0, 3},
                        .val = {},
                        .classes = 3};
  for (const bool class_mass : {false, true}) {
    const Matrix p = spread_labels(graph, problem, class_mass, Context{1});
    EXPECT_TRUE(test::is_probabilities(p));
    for (const int64_t i : {0, 1, 2}) EXPECT_GT(p[i][0], 0.99f) << i;
    for (const int64_t i : {3, 4, 5}) EXPECT_GT(p[i][1], 0.99f) << i;
    if (class_mass) continue;
    for (const int64_t i : {6, 7}) {
      EXPECT_NEAR(p[i][0], 0.4, 1e-6);
      EXPECT_NEAR(p[i][1], 0.4, 1e-6);
      EXPECT_NEAR(p[i][2], 0.2, 1e-6);
    }
  }
}

TEST_F(BestSoftLabels, TheScoreReadsValidationRowsAlone) {
  Matrix p(6, 3);
  p[4][1] = 0.5f;  // right
  p[4][0] = 0.5f - 0.1f;
  p[5][1] = 1;  // wrong, and sure of it
  const Score score = validation_score(p, problem_);
  EXPECT_EQ(score.accuracy, 0.5);
  EXPECT_NEAR(score.log_likelihood, (std::log(0.5) + std::log(1e-3)) / 2, 1e-9);
  EXPECT_NEAR(score.value(), 0.5 + 0.05 * score.log_likelihood, 1e-12);
  EXPECT_EQ(score.handicap, 0);
  Problem without = problem_;
  without.val.clear();
  EXPECT_EQ(validation_score(p, without).value(), 0);
}

TEST_F(BestSoftLabels, AScoreOfAChosenEpochIsHeldBackByItsError) {
  Problem many = problem_;
  many.val.assign(200, 4);
  EXPECT_GT(standard_error(1, problem_), 0);
  EXPECT_GT(standard_error(0.5, problem_), standard_error(0.5, many));
  EXPECT_GT(standard_error(0.5, many), standard_error(0.95, many));
  Problem without = problem_;
  without.val.clear();
  EXPECT_EQ(standard_error(0.5, without), 0);
}

// Rows i % 3 of three classes. Four of ten rows' features are right, the others point anywhere; a
// row has about eight edges, `like` of them to a row of class (own + shift) % 3, the rest to any
// row.
struct Mixing {
  static constexpr int64_t kRows = 1500, kClasses = 3;
  Matrix own{kRows, kClasses};
  Csr graph;
  Problem problem;

  Mixing(int shift, double like) {
    const Rng random{5, Stream::kInit, 0, 0};
    uint64_t at = 0;
    const auto below = [&](int64_t n) {
      return static_cast<int32_t>(random.uniform(at++) * static_cast<float>(n));
    };
    std::vector<std::pair<int32_t, int32_t>> edges;
    problem.classes = kClasses;
    problem.labels.assign(kRows, -1);
    for (int32_t i = 0; i < kRows; ++i) {
      const int64_t shown = random.uniform(at++) < 0.4f ? i % kClasses : below(kClasses);
      for (int64_t c = 0; c < kClasses; ++c) own[i][c] = c == shown ? 0.6f : 0.2f;
      if (i < 30) {
        problem.train.push_back(i);
        problem.labels[i] = i % kClasses;
      }
      for (int n = 0; n < 4; ++n) {
        int32_t j = below(kRows);
        if (random.uniform(at++) < like) j += (i + shift - j) % kClasses;
        if (j != i && j >= 0 && j < kRows) edges.emplace_back(i, j);
      }
    }
    graph = test::graph_of(kRows, edges);
  }

  static double right(const Matrix& p) {
    double right = 0;
    for (int64_t i = 30; i < kRows; ++i) {
      right += std::max_element(p[i], p[i] + kClasses) - p[i] == i % kClasses;
    }
    return right / (kRows - 30);
  }
  Matrix mixed(int threads = 1) const { return mix_classes(own, graph, problem, threads).beliefs; }
};

TEST(ClassMixing, LearnsWhetherEdgesJoinLikeOrUnlikeRows) {
  for (const int shift : {0, 1}) {
    const Mixing table(shift, 0.8);
    EXPECT_LT(Mixing::right(table.own), 0.65);
    const Matrix p = table.mixed();
    EXPECT_TRUE(test::is_probabilities(p));
    EXPECT_GT(Mixing::right(p), 0.85) << shift;
    for (const int32_t i : table.problem.train) EXPECT_GT(p[i][i % 3], 0.99f) << i;
  }
}

TEST(ClassMixing, EdgesOfChanceSayNothing) {
  const Mixing table(0, 0.0);
  EXPECT_NEAR(Mixing::right(table.mixed()), Mixing::right(table.own), 0.04);
}

TEST(ClassMixing, ARowWithoutEdgesKeepsWhatItsFeaturesSay) {
  Mixing table(0, 0.8);
  table.graph = test::graph_of(Mixing::kRows, {{0, 1}, {1, 2}});
  const Matrix p = table.mixed();
  for (int64_t i = 30; i < Mixing::kRows; ++i) {
    for (int64_t c = 0; c < 3; ++c) EXPECT_NEAR(p[i][c], table.own[i][c], 1e-6) << i;
  }
}

TEST(ClassMixing, AFaintEdgeSaysLess) {
  Mixing table(0, 0.8);
  const double plain = Mixing::right(table.mixed());
  // Most edges of weight 1; those of row 40 weigh a thousandth, so it keeps to its features.
  const Pattern& pattern = *table.graph.pattern;
  for (int64_t i = 0; i < Mixing::kRows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      if (i == 40 || pattern.col[e] == 40) table.graph.values[e] = 1e-3f;
    }
  }
  const Matrix p = table.mixed();
  for (int64_t c = 0; c < 3; ++c) EXPECT_NEAR(p[40][c], table.own[40][c], 0.01);
  EXPECT_NEAR(Mixing::right(p), plain, 0.02);
}

// What a model keeps of mixing tells what a row's neighbours said to it, one by one.
TEST(ClassMixing, ARowHearsItsNeighboursAgain) {
  for (const int shift : {0, 1}) {
    const Mixing table(shift, 0.8);
    const auto [beliefs, ratio] = mix_classes(table.own, table.graph, table.problem, 1);
    const Csr heard = heard_edges(table.graph, 1);
    const Pattern& edges = *table.graph.pattern;
    ASSERT_EQ(heard.nnz(), table.graph.nnz() + Mixing::kRows);
    double apart = 0;
    for (int32_t i = 30; i < 300; ++i) {
      const std::span<const int32_t> neighbours(edges.col.data() + edges.row_ptr[i],
                                                edges.row_ptr[i + 1] - edges.row_ptr[i]);
      std::vector<float> parts;
      for (const int32_t j : neighbours) {
        const double roots =
            std::sqrt(double{test::weight_at(heard, i, i)} * test::weight_at(heard, j, j));
        parts.push_back(static_cast<float>(test::weight_at(heard, i, j) / roots));
        EXPECT_NEAR(parts.back(), 1, 1e-5);
      }
      Matrix p(1, 3);
      std::copy_n(table.own[i], 3, p[0]);
      hear(p[0], said_by_neighbours(beliefs, ratio, i, neighbours, parts), parts);
      for (int64_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(p[0][c], beliefs[i][c], 0.05) << i;  // the fit stops where beliefs move less
        apart += std::abs(double{p[0][c]} - beliefs[i][c]) / (270 * 3);
      }
    }
    EXPECT_LT(apart, 0.005);
  }
}

TEST(ClassMixing, SameBitsForAnyNumberOfThreads) {
  const Mixing table(1, 0.5);
  const Matrix one = table.mixed(1);
  for (const int threads : {2, 3, 5}) {
    const Matrix p = table.mixed(threads);
    EXPECT_EQ(std::memcmp(one.data(), p.data(), sizeof(float) * one.size()), 0) << threads;
  }
}

}  // namespace
}  // namespace glgnn
