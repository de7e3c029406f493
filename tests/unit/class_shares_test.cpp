// Classes with as many labels each, and how common they are among the other rows.
#include "network/class_shares.h"

#include <glgnn/trainer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/rng.h"

namespace glgnn {
namespace {

// Two classes, as many labelled rows of each, and a network that says 0.5 + skill (and noise) to
// the right one; the others' mean answer is that of rows of which `share` are of the second class.
HeldBack answers(int64_t rows_of_class, double skill, double share, uint64_t seed) {
  constexpr double kNoise = 0.2;
  HeldBack held;
  held.others = 1000;
  const Rng rng{seed, Stream::kModules, 0, 0};
  HeldBackStage& stage = held.stages.emplace_back();
  stage.looks.emplace_back(2 * rows_of_class, 2);
  for (int64_t i = 0; i < 2 * rows_of_class; ++i) {
    const auto label = static_cast<int32_t>(i % 2);
    held.labels.push_back(label);
    const double second = 0.5 + (label == 1 ? skill : -skill) + kNoise * (rng.uniform(i) - 0.5);
    stage.looks[0][i][1] = static_cast<float>(second);
    stage.looks[0][i][0] = static_cast<float>(1 - second);
  }
  const double second = 0.5 + skill * (2 * share - 1);
  stage.others = {1 - second, second};
  return held;
}

std::vector<float> factors_of(const HeldBack& held) {
  return class_factors({held}, draw_and_choose({held}, 1, 0), 2);
}

TEST(ClassShares, AreThoseOfTheRowsWithoutALabel) {
  const std::vector<float> factors = factors_of(answers(50, 0.3, 0.1, 1));
  ASSERT_EQ(factors.size(), 2u);
  EXPECT_NEAR(factors[1] / 2, 0.1, 0.03);
  EXPECT_NEAR(factors[0] + factors[1], 2, 1e-5);
}

TEST(ClassShares, AreNotToldWhereTheyAreAsAmongTheLabels) {
  EXPECT_TRUE(factors_of(answers(50, 0.3, 0.5, 1)).empty());
}

// Ten labels of each class hit an answer of 0.5 by chance only; what they miss is not taken for a
// difference of the classes, or for a small one.
TEST(ClassShares, ChanceMovesThemLittle) {
  double farthest = 0, sum = 0;
  constexpr int kDraws = 100;
  for (int seed = 1; seed <= kDraws; ++seed) {
    const std::vector<float> factors = factors_of(answers(10, 0.05, 0.5, seed));
    const double apart = factors.empty() ? 0.0 : std::abs(factors[1] / 2 - 0.5);
    farthest = std::max(farthest, apart);
    sum += apart;
  }
  EXPECT_LT(farthest, 0.25);
  EXPECT_LT(sum / kDraws, 0.02);
}

TEST(ClassShares, AreNotToldByANetworkThatTellsNothing) {
  EXPECT_TRUE(factors_of(answers(50, 0.0, 0.1, 1)).empty());
  EXPECT_TRUE(factors_of(answers(50, -0.3, 0.1, 1)).empty());  // worse than guessing
}

TEST(ClassShares, NeedRowsWithoutALabel) {
  HeldBack held = answers(50, 0.3, 0.1, 1);
  held.others = 0;
  EXPECT_TRUE(factors_of(held).empty());
}

TEST(ClassShares, AreLookedForWhereAllClassesHaveAsManyLabels) {
  const std::vector<int32_t> labels{0, 1, 1, 0, -1, 1};
  EXPECT_TRUE(picked_by_class(labels, {0, 1, 2, 3}, 2));
  EXPECT_FALSE(picked_by_class(labels, {0, 1, 2, 3, 5}, 2));
  EXPECT_FALSE(picked_by_class(labels, {0, 1, 2, 3}, 3));  // the third has none
}

TEST(ClassShares, WeighAndKeepTheSum) {
  Matrix p(1, 2);
  p[0][0] = p[0][1] = 0.5f;
  weigh_classes(p, {1.8f, 0.2f});
  EXPECT_FLOAT_EQ(p[0][0], 0.9f);
  EXPECT_FLOAT_EQ(p[0][1], 0.1f);
  weigh_classes(p, {});
  EXPECT_FLOAT_EQ(p[0][0], 0.9f);
}

// Always saying the first class is right on nine rows of ten where the model will be used.
TEST(ClassShares, TheEstimateIsOfRowsWithTheseShares) {
  const HeldBack held = answers(50, 0.0, 0.5, 1);
  const std::vector<Drawing> drawings = draw_and_choose({held}, 1, 0);
  const Estimate alike = estimate_accuracy({held}, drawings, 2, {});
  const Estimate skewed = estimate_accuracy({held}, drawings, 2, {1.8f, 0.2f});
  EXPECT_DOUBLE_EQ(alike.majority_share, 0.5);
  EXPECT_NEAR(skewed.majority_share, 0.9, 1e-6);
  EXPECT_EQ(skewed.majority_class, 0);
  EXPECT_NEAR(skewed.accuracy, 0.9, 0.005);
  EXPECT_GT(skewed.high - skewed.low, 0.01);
}

// One column that tells the classes apart, nine rows of ten of the first class; ten labels of each.
struct SkewedTable {
  Features features;
  Problem problem;
  std::vector<int32_t> truth;

  SkewedTable() {
    constexpr int64_t kRows = 400;
    const Rng rng{3, Stream::kModules, 0, 0};
    features.dense = Matrix(kRows, 2);
    problem.labels.assign(kRows, -1);
    std::vector<int64_t> labelled(2, 0);
    for (int64_t i = 0; i < kRows; ++i) {
      truth.push_back(i % 10 == 0);
      features.dense[i][0] = 1.1f * static_cast<float>(truth[i]) + rng.uniform(2 * i);
      features.dense[i][1] = rng.uniform(2 * i + 1);
      if (labelled[truth[i]] == 20) continue;
      problem.labels[i] = truth[i];
      (labelled[truth[i]]++ % 5 == 0 ? problem.val : problem.train)
          .push_back(static_cast<int32_t>(i));
    }
    problem.features = &features;
    problem.classes = 2;
    problem.val_is_drawn = true;
  }
};

TEST(ClassShares, OfATableAreLearnedAndCanBeLeftOut) {
  const SkewedTable table;
  Config config;
  config.mode = Mode::kBest;
  const Model learned = fit(table.problem, config, Context{1}).model;
  ASSERT_EQ(learned.class_factors.size(), 2u);
  EXPECT_NEAR(class_shares(learned)[1], 0.1, 0.07);
  config.class_shares = ClassShares::kLabels;
  const Model as_labels = fit(table.problem, config, Context{1}).model;
  EXPECT_TRUE(as_labels.class_factors.empty());
  for (int64_t i = 0; i < table.features.rows(); ++i) {
    const float before = as_labels.probabilities[i][1], after = learned.probabilities[i][1];
    if (table.problem.labels[i] >= 0)
      EXPECT_EQ(after, before) << i;
    else
      EXPECT_LE(after, before) << i;
  }
}

}  // namespace
}  // namespace glgnn
