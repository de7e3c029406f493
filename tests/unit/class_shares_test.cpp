// Classes with as many labels each, and how common they are among the other rows.

#include "network/class_shares.h"

#include <glgnn/metrics.h>
#include <glgnn/trainer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "best_util.h"
#include "core/rng.h"
#include "core/rows.h"
#include "modules/gaussian.h"
#include "modules/multinomial.h"
#include "modules/soft_labels.h"
#include "readings_util.h"

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
  stage.others = {{1 - second, second}};
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

// Two labelled rows of each of ten classes show no variance in some direction, and any answer to
// the others would be a surprise.
TEST(ClassShares, NeedMoreThanTwoLabelsOfEachOfManyClasses) {
  static constexpr int64_t kClasses = 10;
  const auto held_back = [](int64_t rows_of_class) {
    HeldBack held;
    held.others = 1000;
    const Rng rng{5, Stream::kModules, 0, 0};
    HeldBackStage& stage = held.stages.emplace_back();
    stage.looks.emplace_back(rows_of_class * kClasses, kClasses);
    stage.others.emplace_back(kClasses, 0.09)[0] = 0.19;
    for (int64_t i = 0; i < rows_of_class * kClasses; ++i) {
      const auto label = static_cast<int32_t>(i % kClasses);
      held.labels.push_back(label);
      float sum = 0;
      for (int64_t c = 0; c < kClasses; ++c) {
        sum += stage.looks[0][i][c] = (c == label ? 2.0f : 0.0f) + rng.uniform(i * kClasses + c);
      }
      for (int64_t c = 0; c < kClasses; ++c) stage.looks[0][i][c] /= sum;
    }
    return held;
  };
  const auto factors = [&](int64_t rows_of_class) {
    const HeldBack held = held_back(rows_of_class);
    return class_factors({held}, draw_and_choose({held}, 1, 0), kClasses);
  };
  EXPECT_TRUE(factors(2).empty());
  EXPECT_GT(factors(30).at(0), 1.5f);
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

using test::Table;

// Two overlapping clouds; every twentieth row is of class 1. Half of the rows are labelled.
void make_unbalanced(Table& table, int64_t rows, float apart = 1.3f) {
  const Rng rng{17, Stream::kInit, 0, 0};
  table.features.dense = Matrix(rows, 3);
  for (int64_t i = 0; i < rows; ++i) {
    const bool rare = i % 20 == 7;
    table.labels.push_back(rare ? 1 : 0);
    for (int64_t f = 0; f < 3; ++f) {
      table.features.dense[i][f] =
          (rare ? apart : 0.0f) + rng.normal(static_cast<uint64_t>(3 * i + f));
    }
    const int64_t group = (i / 20) % 4;
    if (group == 0) table.problem.train.push_back(static_cast<int32_t>(i));
    if (group == 1) table.problem.val.push_back(static_cast<int32_t>(i));
  }
  table.problem.features = &table.features;
  table.problem.classes = 2;
  table.reveal();
}

ConfusionMatrix hidden_confusion(const Table& table, const Matrix& p) {
  return confusion_matrix(predicted_classes(p), table.labels, table.hidden_rows(), 2);
}

struct Compared {
  ConfusionMatrix none, balanced;
};

Compared fit_both(const Table& table, Config config) {
  const auto confusion = [&] {
    return hidden_confusion(table, fit(table.problem, config, Context{2}).model.probabilities);
  };
  Compared both;
  both.none = confusion();
  config.class_weights = ClassWeights::kBalanced;
  both.balanced = confusion();
  return both;
}

TEST(ClassWeights, RowsOfAClassCountAlikeInSum) {
  const std::vector<int32_t> labels{0, 0, 0, 1, -1, 2};
  const std::vector<int32_t> rows{0, 1, 2, 3};
  const std::vector<double> weights = balanced_class_weights(labels, rows, 3);
  EXPECT_DOUBLE_EQ(weights[0], 4.0 / (2 * 3));
  EXPECT_DOUBLE_EQ(weights[1], 4.0 / 2);
  EXPECT_DOUBLE_EQ(weights[2], 0.0);  // no row
}

TEST(ClassWeights, PaperLossIsTheWeightedCrossEntropy) {
  test::Toy toy;
  // Classes of 2, 4 and 4 rows.
  toy.problem.train = {0, 3, 1, 4, 7, 10, 2, 5, 8, 11};
  const Config config = test::Toy::config();
  Problem alike = toy.problem;
  alike.classes_alike = true;
  const Context context{1};
  const auto entropy = [&](const Problem& problem, std::vector<double>* of_row) {
    GlGnn model(problem, config, context);
    Tape tape(context, true);
    const GlGnnOutput out = model.forward(tape, {true, 0, true});
    if (of_row) {
      for (const int32_t i : problem.train) {
        const float* x = (*out.network.logits.value)[i];
        double sum = 0;
        for (int c = 0; c < 3; ++c) sum += std::exp(double{x[c]});
        of_row->push_back(std::log(sum) - x[problem.labels[i]]);
      }
    }
    return model.loss(tape, out).entropy;
  };
  std::vector<double> of_row;
  const double plain = entropy(toy.problem, &of_row);
  double expected = 0, mean = 0;
  for (size_t t = 0; t < of_row.size(); ++t) {
    const double weight = 10.0 / (3 * (t < 2 ? 2 : 4));
    expected += config.mu2 * weight * of_row[t] / 10;
    mean += config.mu2 * of_row[t] / 10;
  }
  EXPECT_NEAR(plain, mean, 1e-5);
  EXPECT_NEAR(entropy(alike, nullptr), expected, 1e-5);
  EXPECT_GT(std::abs(expected - mean), 1e-4);
}

TEST(ClassWeights, PaperModeFindsMoreOfTheRareClass) {
  Table table;
  make_unbalanced(table, 400, 2.1f);
  Config config = test::Toy::config();
  config.epochs = 60;
  config.k = 8;
  const Compared both = fit_both(table, config);
  EXPECT_GT(class_metrics(both.balanced)[1].recall(), class_metrics(both.none)[1].recall() + 0.4);
  EXPECT_GT(balanced_accuracy(both.balanced), balanced_accuracy(both.none) + 0.1);
  EXPECT_GT(macro_f1(both.balanced), macro_f1(both.none) + 0.05);
}

TEST(ClassWeights, BestModeFindsMoreOfTheRareClass) {
  Table table;
  make_unbalanced(table, 400);
  const Compared both = fit_both(table, Config{});
  EXPECT_GT(class_metrics(both.balanced)[1].recall(), class_metrics(both.none)[1].recall() + 0.2);
  EXPECT_GT(balanced_accuracy(both.balanced), balanced_accuracy(both.none) + 0.1);
}

TEST(ClassWeights, ValidationIsJudgedByTheMeanRecall) {
  Table table;
  make_unbalanced(table, 160);
  Matrix always_common(160, 2);
  for (int64_t i = 0; i < 160; ++i) always_common[i][0] = 1.0f;
  EXPECT_DOUBLE_EQ(validation_score(always_common, table.problem).accuracy, 0.95);
  const double narrow = standard_error(0.5, table.problem);
  table.problem.classes_alike = true;
  EXPECT_DOUBLE_EQ(validation_score(always_common, table.problem).accuracy, 0.5);
  // 1e-3 is the least probability that counts.
  EXPECT_NEAR(validation_score(always_common, table.problem).log_likelihood, std::log(1e-3) / 2,
              1e-9);
  EXPECT_GT(standard_error(0.5, table.problem), 1.5 * narrow);  // two rare rows tell little
}

TEST(ClassWeights, SharesAndRowWeightsOfTheHeads) {
  Table table;
  make_unbalanced(table, 160);
  EXPECT_DOUBLE_EQ(class_shares(table.problem)[1], 3.0 / 42);
  for (const float weight : training_row_weights(table.problem)) EXPECT_EQ(weight, 1.0f);
  table.problem.classes_alike = true;
  EXPECT_DOUBLE_EQ(class_shares(table.problem)[1], 0.5);
  const std::vector<float> weights = training_row_weights(table.problem);
  for (size_t t = 0; t < weights.size(); ++t) {
    const bool rare = table.labels[table.problem.train[t]] == 1;
    EXPECT_FLOAT_EQ(weights[t], rare ? 40.0f / (2 * 2) : 40.0f / (2 * 38));
  }
}

TEST(ClassWeights, PrototypesLeaveTheSharesOut) {
  Table table;
  make_unbalanced(table, 160);
  const Matrix before = nearest_means(table.features.dense, table.problem, 1);
  table.problem.classes_alike = true;
  const Matrix after = nearest_means(table.features.dense, table.problem, 1);
  for (int64_t i = 0; i < before.rows(); ++i) {
    const double odds = double{before[i][1]} / before[i][0] * 38 / 2;
    EXPECT_NEAR(after[i][1] / after[i][0], odds, 1e-3 * odds);
  }
}

}  // namespace
}  // namespace glgnn
