#include <glgnn/metrics.h>
#include <gtest/gtest.h>

namespace glgnn {
namespace {

// Labels 0 0 0 0 1 1 2 and one unknown; class 3 has no row.
const std::vector<int32_t> kLabels{0, 0, 0, 0, 1, 1, 2, -1};
const std::vector<int32_t> kPredicted{0, 0, 0, 1, 1, 0, 1, 2};
const std::vector<int32_t> kRows{0, 1, 2, 3, 4, 5, 6, 7};

ConfusionMatrix confusion() { return confusion_matrix(kPredicted, kLabels, kRows, 4); }

TEST(Metrics, ConfusionCountsLabelledRowsOnly) {
  const ConfusionMatrix matrix = confusion();
  EXPECT_EQ(matrix.at(0, 0), 3);
  EXPECT_EQ(matrix.at(0, 1), 1);
  EXPECT_EQ(matrix.at(1, 0), 1);
  EXPECT_EQ(matrix.at(1, 1), 1);
  EXPECT_EQ(matrix.at(2, 1), 1);
  int64_t all = 0;
  for (const int64_t count : matrix.counts) all += count;
  EXPECT_EQ(all, 7);
}

TEST(Metrics, ConfusionCountsTheGivenRowsOnly) {
  const std::vector<int32_t> rows{3, 6};
  const ConfusionMatrix matrix = confusion_matrix(kPredicted, kLabels, rows, 4);
  EXPECT_EQ(matrix.at(0, 1), 1);
  EXPECT_EQ(matrix.at(2, 1), 1);
  EXPECT_EQ(matrix.at(0, 0), 0);
}

TEST(Metrics, PerClass) {
  const std::vector<ClassMetrics> metrics = class_metrics(confusion());
  ASSERT_EQ(metrics.size(), 4u);
  EXPECT_EQ(metrics[0].support, 4);
  EXPECT_DOUBLE_EQ(metrics[0].recall(), 3.0 / 4);
  EXPECT_DOUBLE_EQ(metrics[0].precision(), 3.0 / 4);
  EXPECT_DOUBLE_EQ(metrics[1].recall(), 1.0 / 2);
  EXPECT_DOUBLE_EQ(metrics[1].precision(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(metrics[1].f1(), 2.0 / 5);
  EXPECT_DOUBLE_EQ(metrics[2].recall(), 0);
  EXPECT_DOUBLE_EQ(metrics[2].f1(), 0);
  EXPECT_EQ(metrics[3].support, 0);
  EXPECT_DOUBLE_EQ(metrics[3].recall(), 0);
}

TEST(Metrics, MeansLeaveOutClassesThatDoNotOccur) {
  EXPECT_DOUBLE_EQ(macro_f1(confusion()), (0.75 + 0.4 + 0.0) / 3);
  EXPECT_DOUBLE_EQ(balanced_accuracy(confusion()), (0.75 + 0.5 + 0.0) / 3);
}

TEST(Metrics, NoRows) {
  const ConfusionMatrix none = confusion_matrix(kPredicted, kLabels, {}, 4);
  EXPECT_DOUBLE_EQ(macro_f1(none), 0);
  EXPECT_DOUBLE_EQ(balanced_accuracy(none), 0);
}

}  // namespace
}  // namespace glgnn
