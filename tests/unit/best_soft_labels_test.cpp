#include <gtest/gtest.h>

#include <cmath>

#include "best_util.h"
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

}  // namespace
}  // namespace glgnn
