// The accuracy to expect: untouched by choosing, whatever was chosen from.

#include "network/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/rng.h"
#include "modules/soft_labels.h"
#include "network/held_back.h"

namespace glgnn {
namespace {

// Modules that are right with probability `skill`, each on its own; `looks` answers of each.
HeldBack answers(int64_t rows, int64_t classes, int64_t modules, int64_t looks, double skill,
                 uint64_t seed) {
  HeldBack held;
  const Rng rng{seed, Stream::kModules, 0, 0};
  uint64_t next = 0;
  const auto draw = [&](int64_t below) {
    return static_cast<int32_t>(rng.uniform(next++) * static_cast<float>(below));
  };
  for (int64_t i = 0; i < rows; ++i) held.labels.push_back(draw(classes));
  for (int64_t m = 0; m < modules; ++m) {
    HeldBackStage& module = held.stages.emplace_back();
    for (int64_t l = 0; l < looks; ++l) {
      Matrix p(rows, classes);
      for (int64_t i = 0; i < rows; ++i) {
        const bool knows = rng.uniform(next++) < skill;
        p[i][knows ? held.labels[i] : draw(classes)] = 1.0f;
      }
      module.looks.push_back(std::move(p));
    }
  }
  return held;
}

Estimate estimate_of(const std::vector<HeldBack>& held, int64_t classes, int64_t members,
                     const std::vector<float>& factors = {}) {
  return estimate_accuracy(held, draw_and_choose(held, members, 0), classes, factors);
}

double flattered(const HeldBack& held) {
  double best = 0;
  for (const HeldBackStage& module : held.stages) {
    for (const Matrix& p : module.looks) {
      const std::vector<int32_t> said = predicted_classes(p);
      double right = 0;
      for (size_t i = 0; i < said.size(); ++i) right += said[i] == held.labels[i];
      best = std::max(best, right / static_cast<double>(said.size()));
    }
  }
  return best;
}

// Nine rows of ten are of class 0. One module says so always; the other knows the rare rows, and
// six of ten common ones.
TEST(Estimate, JudgesTheNetworkThatWeighedRowsChoose) {
  constexpr int64_t kRows = 400;
  HeldBack held;
  for (int64_t i = 0; i < kRows; ++i) held.labels.push_back(i % 10 == 0);
  for (const bool always : {true, false}) {
    Matrix& p = held.stages.emplace_back().looks.emplace_back(kRows, 2);
    for (int64_t i = 0; i < kRows; ++i) {
      const bool says_common = always || (i % 10 != 0 && i / 10 % 10 < 6);
      p[i][says_common ? 0 : 1] = 1.0f;
    }
  }
  std::vector<double> balanced;
  for (const int32_t label : held.labels) balanced.push_back(label == 1 ? 5.0 : 0.56);
  const auto estimate = [&](const std::vector<double>& counts) {
    return estimate_accuracy({held}, draw_and_choose({held}, 1, 0, counts), 2, {}).accuracy;
  };
  EXPECT_NEAR(estimate({}), 0.9, 0.02);
  EXPECT_NEAR(estimate(balanced), 0.64, 0.02);
}

TEST(Estimate, GuessesAreWorthNoMoreThanGuessesHoweverManyWereTried) {
  double estimated = 0, chosen_by = 0;
  constexpr int kTables = 20;
  for (int t = 0; t < kTables; ++t) {
    const HeldBack held = answers(60, 2, 80, 3, 0.0, 100 + t);
    estimated += estimate_of({held}, 2, 1).accuracy / kTables;
    chosen_by += flattered(held) / kTables;
  }
  EXPECT_GT(chosen_by, 0.65);  // what choosing alone would claim
  EXPECT_NEAR(estimated, 0.5, 0.03);
}

Estimate of_epochs(const HeldBack& held, int64_t classes) {
  EpochEstimate estimate(held.labels, 0);
  for (const Matrix& p : held.stages.front().looks) estimate.see(p);
  return estimate.result(classes, held.baseline);
}

TEST(Estimate, EpochsThatGuessAreWorthNoMoreThanGuessesHoweverMany) {
  double estimated = 0, chosen_by = 0;
  constexpr int kTables = 20;
  for (int t = 0; t < kTables; ++t) {
    const HeldBack held = answers(60, 2, 1, 240, 0.0, 100 + t);
    estimated += of_epochs(held, 2).accuracy / kTables;
    chosen_by += flattered(held) / kTables;
  }
  EXPECT_GT(chosen_by, 0.65);
  EXPECT_NEAR(estimated, 0.5, 0.03);
}

TEST(Estimate, EpochsAreJudgedAsOneModuleOfAPoolIs) {
  const HeldBack held = answers(80, 3, 1, 30, 0.6, 4);
  const Estimate pool = estimate_of({held}, 3, 1), epochs = of_epochs(held, 3);
  EXPECT_EQ(epochs.rows, 80);
  EXPECT_EQ(epochs.majority_share, pool.majority_share);
  EXPECT_NEAR(epochs.accuracy, pool.accuracy, 0.02);
  EXPECT_EQ(of_epochs(answers(1, 2, 1, 3, 0.5, 1), 2).rows, 0) << "a single row judges nothing";
}

TEST(Estimate, OneModuleWithoutAChoiceIsJudgedByAllRows) {
  const HeldBack held = answers(200, 3, 1, 1, 0.7, 5);
  EXPECT_NEAR(estimate_of({held}, 3, 1).accuracy, flattered(held), 0.01);
}

TEST(Estimate, FoldsAreJudgedTogether) {
  const HeldBack all = answers(100, 2, 6, 2, 0.6, 9);
  std::vector<HeldBack> folds(2);
  for (int f = 0; f < 2; ++f) {
    for (int i = f * 50; i < f * 50 + 50; ++i) folds[f].labels.push_back(all.labels[i]);
    for (const HeldBackStage& module : all.stages) {
      HeldBackStage& part = folds[f].stages.emplace_back();
      for (const Matrix& p : module.looks) {
        Matrix rows(50, 2);
        for (int i = 0; i < 50; ++i) std::copy_n(p[f * 50 + i], 2, rows[i]);
        part.looks.push_back(std::move(rows));
      }
    }
  }
  const Estimate estimate = estimate_of(folds, 2, 3);
  EXPECT_EQ(estimate.rows, 100);
  EXPECT_NEAR(estimate.accuracy, estimate_of({all}, 2, 3).accuracy, 0.08);
}

// Labels that spread far leave all classes nearly alike. One candidate is right three times of
// four, but says so with 0.51; the other knows nothing.
TEST(HeldBackRows, SharpenAnswersThatAreNearlyAlike) {
  std::vector<HeldBack> held(2);
  for (HeldBack& fold : held) {
    fold.stages.resize(2);
    fold.stages[0].family = 1;
    for (HeldBackStage& stage : fold.stages) stage.looks.assign(1, Matrix(20, 2, 0.5f));
    for (int i = 0; i < 20; ++i) {
      fold.labels.push_back(i % 2);
      fold.stages[0].looks[0][i][i % 4 == 0 ? 1 - i % 2 : i % 2] = 0.51f;
      fold.stages[0].looks[0][i][i % 4 == 0 ? i % 2 : 1 - i % 2] = 0.49f;
    }
  }
  const auto chosen = [&](bool is_sharpened) {
    std::vector<JudgedFold> judged;
    for (HeldBack& fold : held) {
      fold.stages[0].is_sharpened = is_sharpened;
      judged.push_back(judge_fold(fold));
    }
    return choose_over_folds(held, judged, std::vector<double>(40, 1.0), 2, true).front();
  };
  EXPECT_LT(chosen(false).weight[0], 0.6);
  EXPECT_EQ(chosen(false).sharpness[0], 0u);
  EXPECT_GT(chosen(true).weight[0], 0.8);
  EXPECT_EQ(chosen(true).sharpness[1], 0u) << "what may not be sharpened stays as it is";
  std::vector<float> p{0.51f, 0.49f, 0};
  sharpen(p.data(), 3, 2);
  EXPECT_NEAR(p[0], 0.2601 / (0.2601 + 0.2401), 1e-6);
  EXPECT_EQ(p[2], 0);
}

TEST(Estimate, CountsTheLargestClassAndTheBaseline) {
  HeldBack held = answers(4, 2, 1, 1, 1.0, 3);
  held.labels = {0, 1, 1, 1};
  held.baseline = Matrix(4, 2);
  for (int i = 0; i < 4; ++i) held.baseline[i][i < 2 ? 0 : 1] = 1.0f;
  const Estimate estimate = estimate_of({held}, 2, 1);
  EXPECT_EQ(estimate.majority_class, 1);
  EXPECT_DOUBLE_EQ(estimate.majority_share, 0.75);
  EXPECT_DOUBLE_EQ(estimate.baseline, 0.75);
}

// Newcombe (1998), table I: 81 of 263 gives 0.2535 to 0.3682 with the continuity correction, 0 of
// 20 gives 0 to 0.2005.
TEST(Estimate, IntervalIsNewcombes) {
  Estimate estimate{.accuracy = 81.0 / 263};
  set_interval(estimate, 263);
  EXPECT_NEAR(estimate.low, 0.2535, 1e-4);
  EXPECT_NEAR(estimate.high, 0.3682, 1e-4);
  estimate = {};
  set_interval(estimate, 20);
  EXPECT_EQ(estimate.low, 0);
  EXPECT_NEAR(estimate.high, 0.2005, 1e-4);
}

TEST(Estimate, IntervalHoldsTheEstimate) {
  for (const double accuracy : {0.0002, 0.9998}) {
    Estimate estimate{.accuracy = accuracy};
    set_interval(estimate, 52);
    EXPECT_LE(estimate.low, accuracy);
    EXPECT_GE(estimate.high, accuracy);
  }
}

TEST(Estimate, WithoutHeldBackRowsThereIsNone) {
  EXPECT_EQ(estimate_of({HeldBack{}}, 2, 10).rows, 0);
}

// The network that all folds choose together.

// Says the label of `rows` rows with probability `sure`; all labels are of class 0.
HeldBackStage says(int64_t rows, float sure, int32_t family = 0, int32_t group = 0) {
  Matrix p(rows, 2);
  for (int64_t i = 0; i < rows; ++i) p[i][0] = sure, p[i][1] = 1 - sure;
  return {.looks = {p}, .group = group, .family = family};
}

HeldBack fold_of(int64_t rows, std::vector<HeldBackStage> stages) {
  return {.labels = std::vector<int32_t>(rows, 0), .stages = std::move(stages), .baseline = {}};
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

TEST(HeldBack, GroupsStartAlikeHoweverManyModulesAndFamiliesTheyHave) {
  std::vector<HeldBackStage> stages(6, says(2, 0.6f, 0));
  for (int32_t family = 1; family <= 3; ++family) stages.push_back(says(2, 0.6f, family));
  stages.push_back(says(2, 0.6f, 4, 1));
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

// Sure of the even rows and wrong on the odd ones, or the other way round.
HeldBackStage knows_half(int64_t rows, int64_t half, int32_t family) {
  HeldBackStage stage = says(rows, 0.2f, family);
  for (int64_t i = half; i < rows; i += 2) stage.looks[0][i][0] = 0.9f, stage.looks[0][i][1] = 0.1f;
  return stage;
}

TEST(HeldBack, ManyLabelsMixCandidatesThatKnowDifferentRows) {
  const auto weights = [](int64_t rows) {
    const std::vector<HeldBackStage> stages{knows_half(rows, 0, 0), knows_half(rows, 1, 1),
                                            says(rows, 0.5f, 2)};
    return weights_of({fold_of(rows, stages), fold_of(rows, stages)});
  };
  EXPECT_GT(weights(100)[2], 0.9) << "the likeliest alone";
  const std::vector<double> many = weights(150);
  EXPECT_NEAR(many[0], many[1], 1e-9);
  EXPECT_LT(many[2], 0.1) << "both halves together are likelier: 0.55 of every label";
}

TEST(HeldBack, OneFoldIsMixedWhereItsManyRowsWereDrawn) {
  HeldBack fold = fold_of(300, {says(300, 0.6f)});
  EXPECT_FALSE(choose_together({fold}));
  fold.is_drawn = true;
  EXPECT_TRUE(choose_together({fold}));
  EXPECT_TRUE(choose_together({fold_of(3, {}), fold_of(3, {})}));
  fold.labels.pop_back();
  EXPECT_FALSE(choose_together({fold}));
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
  chose.handicap = kGainOfChoosing;
  chose.looks.insert(chose.looks.begin(), says(4, 0.2f).looks[0]);
  const std::vector<double> weight =
      weights_of({fold_of(4, {plain, chose}), fold_of(4, {plain, chose})});
  EXPECT_LT(weight[1], weight[0]);
  EXPECT_GT(weight[1], 0.3) << "its better look is the one that counts";
}

}  // namespace
}  // namespace glgnn
