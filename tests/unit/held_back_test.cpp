// The network that all folds choose together.
#include "network/held_back.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace glgnn {
namespace {

// Says the label of `rows` rows with probability `sure`; all labels are of class 0.
HeldBackStage says(int64_t rows, float sure, int32_t family = 0) {
  Matrix p(rows, 2);
  for (int64_t i = 0; i < rows; ++i) p[i][0] = sure, p[i][1] = 1 - sure;
  return {.looks = {p}, .family = family};
}

HeldBack fold_of(int64_t rows, std::vector<HeldBackStage> stages) {
  return {std::vector<int32_t>(rows, 0), std::move(stages), {}};
}

std::vector<double> weights_of(const std::vector<HeldBack>& held, size_t members = 10,
                               bool with_taught = false) {
  std::vector<JudgedFold> judged;
  size_t rows = 0;
  for (const HeldBack& fold : held) {
    judged.push_back(judge_fold(fold));
    rows += fold.labels.size();
  }
  const std::vector<Chosen> chosen =
      choose_over_folds(held, judged, std::vector<double>(rows, 1.0), members, with_taught);
  EXPECT_EQ(chosen.size(), held.size());
  for (const Chosen& fold : chosen) EXPECT_EQ(fold.weight, chosen.front().weight);
  const std::vector<double>& weight = chosen.front().weight;
  EXPECT_NEAR(std::accumulate(weight.begin(), weight.end(), 0.0), 1.0, 1e-12);
  return weight;
}

TEST(HeldBack, LabelsOfAllFoldsChooseTheNetworkOfEach) {
  // The second is better in the first fold, the first in both together.
  const std::vector<double> weight = weights_of(
      {fold_of(4, {says(4, 0.6f), says(4, 0.7f)}), fold_of(4, {says(4, 0.6f), says(4, 0.4f)})});
  const double odds = std::pow(0.6 * 0.6 / (0.7 * 0.4), 4);
  EXPECT_NEAR(weight[0] / weight[1], std::sqrt(odds), 1e-5) << "half of the likelihood counts";
}

TEST(HeldBack, FamiliesStartAlikeHoweverManyTheyAre) {
  std::vector<HeldBackStage> stages(9, says(2, 0.6f, 0));
  stages.push_back(says(2, 0.6f, 1));
  const std::vector<double> weight = weights_of({fold_of(2, stages), fold_of(2, stages)});
  EXPECT_NEAR(weight[9], 0.5, 1e-6);
  EXPECT_NEAR(weight[0], 0.5 / 9, 1e-6);
}

TEST(HeldBack, FewLabelsAverageAndManyChoose) {
  const auto weight_of_better = [](int64_t rows) {
    const std::vector<HeldBackStage> stages{says(rows, 0.7f, 0), says(rows, 0.5f, 1)};
    return weights_of({fold_of(rows, stages), fold_of(rows, stages)})[0];
  };
  EXPECT_LT(weight_of_better(2), 0.7);
  EXPECT_GT(weight_of_better(20), 0.99);
}

TEST(HeldBack, OnlyTheBestAreMembers) {
  const std::vector<HeldBackStage> stages{says(3, 0.5f), says(3, 0.8f), says(3, 0.7f)};
  const std::vector<double> weight = weights_of({fold_of(3, stages), fold_of(3, stages)}, 2);
  EXPECT_EQ(weight[0], 0);
  EXPECT_GT(weight[1], weight[2]);
}

TEST(HeldBack, ThoseTaughtByTheNetworkTakePartOnlyIfAsked) {
  std::vector<HeldBackStage> stages{says(5, 0.5f), says(5, 0.9f)};
  stages[1].is_taught = true;
  const std::vector<HeldBack> held{fold_of(5, stages), fold_of(5, stages)};
  EXPECT_EQ(weights_of(held), (std::vector<double>{1, 0}));
  EXPECT_GT(weights_of(held, 10, true)[1], 0.9);
}

TEST(HeldBack, AHeadThatChoseItsEpochCountsLessThanOneThatSaysTheSame) {
  HeldBackStage plain = says(4, 0.6f);
  plain.looks[0][0][0] = 0.9f;  // answers that differ: a standard error
  HeldBackStage chose = plain;
  chose.chooses_epoch = true;
  chose.looks.insert(chose.looks.begin(), says(4, 0.2f).looks[0]);
  const std::vector<double> weight =
      weights_of({fold_of(4, {plain, chose}), fold_of(4, {plain, chose})});
  EXPECT_LT(weight[1], weight[0]);
  EXPECT_GT(weight[1], 0.3) << "its better look is the one that counts";
}

}  // namespace
}  // namespace glgnn
