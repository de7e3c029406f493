#include "core/class_weights.h"

#include <glgnn/metrics.h>
#include <gtest/gtest.h>

#include <cmath>

#include "best_util.h"
#include "modules/gaussian.h"
#include "modules/multinomial.h"
#include "modules/soft_labels.h"
#include "readings_util.h"

namespace glgnn {
namespace {

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
  const double narrow = optimism_of_chosen(0.5, table.problem);
  table.problem.classes_alike = true;
  EXPECT_DOUBLE_EQ(validation_score(always_common, table.problem).accuracy, 0.5);
  // 1e-3 is the least probability that counts.
  EXPECT_NEAR(validation_score(always_common, table.problem).log_likelihood, std::log(1e-3) / 2,
              1e-9);
  EXPECT_GT(optimism_of_chosen(0.5, table.problem), 1.5 * narrow);  // two rare rows tell little
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
