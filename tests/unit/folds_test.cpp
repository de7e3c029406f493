// Folds of best mode: who is held back when, and the model of all folds.

#include "train/folds.h"

#include <glgnn/new_rows.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "best_util.h"
#include "data_test_util.h"
#include "train/time_left.h"

namespace glgnn {
namespace {

using test::Table;

std::string model_bytes(const Model& model) {
  const TempFolder folder;
  save_model(model, folder.path("m.glgnn"));
  return bytes_of(folder.path("m.glgnn"));
}

class Folds : public ::testing::Test {
 protected:
  Folds() {
    test::make_blobs(table_, 90, 6, 3, 2);
    table_.split(8, 2);
    table_.problem.val_is_drawn = true;
    config_.epochs = 10;
  }
  FitResult fit_now(const FitOptions& options = {}, int threads = 1) const {
    return fit(table_.problem, config_, Context{threads}, options);
  }

  Table table_;
  Config config_;
  TempFolder folder_;
};

TEST_F(Folds, AreTrainedWhereValidationRowsAreDrawn) {
  Problem& problem = table_.problem;
  EXPECT_EQ(count_folds(problem, config_), 5);
  config_.folds = 3;
  EXPECT_EQ(count_folds(problem, config_), 3);
  config_.folds = 20;
  EXPECT_EQ(count_folds(problem, config_), 5) << "a fifth of the labels validates";
  config_.members = 2;
  EXPECT_EQ(count_folds(problem, config_), 2) << "a module of each";
  EXPECT_EQ(fold_config(config_, 2).members, 1);
  config_.averaging = false;
  EXPECT_EQ(count_folds(problem, config_), 1);
  config_.averaging = true;
  config_.members = 0;
  config_.mode = Mode::kPaper;
  EXPECT_EQ(count_folds(problem, config_), 1);
  config_.mode = Mode::kBest;
  problem.val_is_drawn = false;
  EXPECT_EQ(count_folds(problem, config_), 1) << "the validation rows are given";
}

TEST_F(Folds, AreFewerForLargeDataAndManyLabels) {
  Features large;
  large.dense = Matrix(4000, 1);
  table_.problem.features = &large;
  EXPECT_EQ(count_folds(table_.problem, config_), 3);
  large.dense = Matrix(11000, 1);
  EXPECT_EQ(count_folds(table_.problem, config_), 1);
  large.dense = Matrix(2000, 1);
  table_.problem.train.resize(900);
  table_.problem.val.resize(200);
  EXPECT_EQ(count_folds(table_.problem, config_), 3);
  large.dense = Matrix(11000, 1);
  EXPECT_EQ(count_folds(table_.problem, config_), 1);
}

TEST_F(Folds, HoldEveryLabelBackOnce) {
  const std::vector<Problem> folds = draw_folds(table_.problem, config_);
  ASSERT_EQ(folds.size(), 5u);
  EXPECT_EQ(folds[0].train, table_.problem.train);
  EXPECT_EQ(folds[0].val, table_.problem.val);
  std::multiset<int32_t> held;
  for (const Problem& fold : folds) {
    EXPECT_EQ(fold.val.size(), 6u);
    EXPECT_EQ(fold.train.size(), 24u);
    std::vector<int64_t> of_class(3, 0);
    for (const int32_t row : fold.val) {
      ++of_class[fold.labels[row]];
      EXPECT_FALSE(std::binary_search(fold.train.begin(), fold.train.end(), row));
    }
    EXPECT_EQ(of_class, (std::vector<int64_t>{2, 2, 2}));
    held.insert(fold.val.begin(), fold.val.end());
  }
  EXPECT_EQ(held.size(), 30u);
  EXPECT_EQ(std::set<int32_t>(held.begin(), held.end()).size(), 30u);
}

TEST_F(Folds, AreAsLargeAsTheValidationPartIfFewAreTrained) {
  config_.folds = 3;
  const std::vector<Problem> folds = draw_folds(table_.problem, config_);
  ASSERT_EQ(folds.size(), 3u);
  for (const Problem& fold : folds) {
    EXPECT_EQ(fold.val.size(), 6u);
    EXPECT_EQ(fold.train.size(), 24u);
  }
  const Model model = fit_now().model;
  EXPECT_EQ(model.train.size(), 30u);
  EXPECT_EQ(validated_rows(model).size(), 18u);
  EXPECT_EQ(model.folds, 3);
  table_.problem.val_is_drawn = false;
  EXPECT_EQ(fit_now().model.folds, 1) << "whatever the setting says";
}

TEST_F(Folds, LeaveOneLabelOfEachClassToTrainOn) {
  Problem& problem = table_.problem;
  // Rows 2, 5 and 8 are of class 2; with one of them labelled, or two, or in two folds.
  for (const std::vector<int32_t>& rare : {std::vector<int32_t>{2}, {2, 5}, {2, 5, 8}}) {
    for (const int64_t count : {2, 5}) {
      problem.train = {0, 1, 3, 4, 6, 7, 9, 10};
      problem.val = count == 2 ? std::vector<int32_t>{12, 13, 15, 16, 18, 19, 21, 22}
                               : std::vector<int32_t>{12, 13};
      problem.train.insert(problem.train.end(), rare.begin(), rare.end());
      std::sort(problem.train.begin(), problem.train.end());
      table_.reveal();
      config_.folds = count;
      const std::vector<Problem> folds = draw_folds(problem, config_);
      EXPECT_GE(folds.size(), 2u);
      for (const Problem& fold : folds) {
        std::set<int32_t> taught;
        for (const int32_t row : fold.train) taught.insert(fold.labels[row]);
        EXPECT_EQ(taught, (std::set<int32_t>{0, 1, 2})) << rare.size() << " in " << count;
        EXPECT_FALSE(fold.val.empty());
      }
    }
  }
}

TEST_F(Folds, JoinIntoOneModel) {
  Model model = fit_now().model;
  EXPECT_EQ(model.folds, 5);
  ASSERT_EQ(model.modules.size(), 30u);
  EXPECT_EQ(model.config.folds, config_.folds) << "settings are what was asked for";
  EXPECT_EQ(model.config.modules, config_.modules);
  EXPECT_EQ(planned_folds(table_.problem, config_), 5);
  EXPECT_EQ(static_cast<int64_t>(model.history.size()), planned_epochs(table_.problem, config_));
  EXPECT_EQ(model.best_epoch, static_cast<int64_t>(model.history.size()));
  EXPECT_TRUE(test::is_probabilities(model.probabilities));
  EXPECT_GT(table_.hidden_accuracy(model.probabilities), 0.8);
  ASSERT_EQ(model.network.rows(), 31);
  const float* const weights = model.network[30];
  for (int fold = 0; fold < 5; ++fold) {
    EXPECT_NEAR(std::accumulate(weights + 6 * fold, weights + 6 * fold + 6, 0.0), 0.2, 1e-6);
  }
  // The prediction is the weighted mean of the modules, and each line of the list is a module's
  // own. All folds have the same members; how much they agree differs a little.
  const int64_t of_fold = planned_epochs(table_.problem, config_) / 5;
  for (int64_t m = 0; m < 30; ++m) {
    const FittedModule& module = model.modules[m];
    EXPECT_EQ(module.weight, weights[m]);
    EXPECT_EQ(module.line / of_fold, m / 6);
    EXPECT_EQ(module.line % of_fold, model.modules[m % 6].line);
    EXPECT_EQ(module.note, model.modules[m % 6].note);
    EXPECT_NEAR(module.weight, model.modules[m % 6].weight, 0.05 * module.weight);
  }
  for (int64_t e = 0; e < model.probabilities.size(); ++e) {
    double sum = 0;
    for (int64_t m = 0; m < 30; ++m) {
      sum += weights[m] * model.modules[m].probabilities.data()[e];
    }
    ASSERT_NEAR(sum, model.probabilities.data()[e], 1e-5);
  }
}

TEST_F(Folds, JudgeEachLabelByTheFoldThatHeldItBack) {
  const Model model = fit_now().model;
  int64_t correct = 0, judged = 0;
  const std::vector<Problem> folds = draw_folds(table_.problem, config_);
  for (size_t f = 0; f < folds.size(); ++f) {
    Matrix of_fold(90, 3);
    for (size_t m = 6 * f; m < 6 * f + 6; ++m) {
      for (int64_t e = 0; e < of_fold.size(); ++e) {
        of_fold.data()[e] += model.modules[m].weight * model.modules[m].probabilities.data()[e];
      }
    }
    const std::vector<int32_t> said = predicted_classes(of_fold);
    for (const int32_t row : folds[f].val) correct += said[row] == table_.labels[row], ++judged;
  }
  EXPECT_EQ(model.history.back().val_accuracy,
            static_cast<double>(correct) / static_cast<double>(judged));
  const std::vector<int32_t> rows = validated_rows(model);
  EXPECT_EQ(rows.size(), 30u);
  EXPECT_EQ(rows, model.train);
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                          [&](int32_t i) { return model.held_back[i] == table_.labels[i]; }),
            correct);
}

TEST_F(Folds, GiveTheSameBitsForAnyThreadsAndAfterAnyStop) {
  const std::string whole = model_bytes(fit_now().model);
  EXPECT_EQ(whole, model_bytes(fit_now({}, 2).model));
  const int64_t lines = planned_epochs(table_.problem, config_), of_fold = lines / 5;
  for (const int64_t stop : {int64_t{3}, of_fold, of_fold + 1, 3 * of_fold + 5, lines - 1}) {
    FitOptions options;
    options.checkpoint = folder_.path("run.checkpoint");
    options.on_epoch = [&](const EpochReport& report) { return report.epoch < stop; };
    EXPECT_TRUE(fit_now(options).interrupted || stop >= lines - 1) << stop;
    options.resume = true;
    std::vector<int64_t> reported;
    options.on_epoch = [&](const EpochReport& report) {
      EXPECT_EQ(report.epochs, lines);
      reported.push_back(report.epoch);
      return true;
    };
    const FitResult resumed = fit_now(options);
    EXPECT_EQ(whole, model_bytes(resumed.model)) << "stopped after " << stop;
    std::vector<int64_t> all(lines);
    std::iota(all.begin(), all.end(), 1);
    EXPECT_EQ(reported, all);
    EXPECT_FALSE(std::filesystem::exists(folder_.path("run.checkpoint.1")));
  }
}

// A module that is kept is trained as before: the same random numbers, the same line of history.
// Columns of chance beside a graph that knows the classes: labels spread over it, whose answers are
// all nearly alike, count by what they have right.
TEST_F(Folds, BelieveAGraphThatTheColumnsDoNotKnow) {
  test::make_blobs(table_, 150, 6, 3, 0);
  test::make_class_graph(table_);
  table_.split(8, 2, true);
  table_.problem.val_is_drawn = true;
  EXPECT_GT(table_.hidden_accuracy(fit_now().model.probabilities), 0.7);
}

TEST_F(Folds, LeaveOutWhatDidWorseBefore) {
  const Model whole = fit_now().model;
  table_.problem.left_out = less_promising(whole);
  const Model again = fit_now().model;
  ASSERT_EQ(again.tried.size(), whole.tried.size() - table_.problem.left_out.size());
  EXPECT_EQ(again.tried.size(), (whole.tried.size() + 2) / 3);
  const auto mean_loss = [](const Model& model, size_t m) {
    double sum = 0;
    for (int64_t f = 0; f < model.folds; ++f)
      sum += model.history[f * model.tried.size() + m].val_loss;
    return sum / static_cast<double>(model.folds);
  };
  double worst_kept = 0, best_left = 1e9;
  for (size_t m = 0; m < whole.tried.size(); ++m) {
    const auto at = std::ranges::find(again.tried, whole.tried[m]);
    const double loss = mean_loss(whole, m);
    if (at == again.tried.end()) {
      best_left = std::min(best_left, loss);
    } else {
      worst_kept = std::max(worst_kept, loss);
      EXPECT_EQ(mean_loss(again, at - again.tried.begin()), loss);
    }
  }
  EXPECT_LE(worst_kept, best_left);
  for (const FittedModule& module : again.modules) {
    EXPECT_LT(module.line, std::ssize(again.history) - 1);
    EXPECT_EQ(again.history[module.line].epoch, module.line + 1);
  }
  EXPECT_EQ(less_promising(again), table_.problem.left_out) << "the third of a third is no third";
  table_.problem.left_out = whole.tried;  // nothing would be left: all are tried
  EXPECT_EQ(planned_epochs(table_.problem, config_), std::ssize(whole.history));
}

TEST_F(Folds, PredictNewRows) {
  Model model = fit_now().model;
  model.features = table_.features;
  model.labels = table_.problem.labels;
  Features rows;
  rows.dense = Matrix(10, 6);
  std::copy_n(table_.features.dense[60], 60, rows.dense.data());
  const Matrix p = NewRowPredictor(model, Context{1}).predict(rows).probabilities;
  EXPECT_TRUE(test::is_probabilities(p));
  const std::vector<int32_t> said = predicted_classes(p);
  const std::vector<int32_t> fitted = predicted_classes(model.probabilities);
  EXPECT_GE(std::inner_product(said.begin(), said.end(), fitted.begin() + 60, 0, std::plus<>(),
                               std::equal_to<>()),
            9);
}

TEST(TimeLeft, WithoutAnyExperienceTheRuleCounts) {
  const TimeLeft left({{"a k=1", 2}, {"a k=2", 3}});
  EXPECT_EQ(left.seconds(), 5);
}

TEST(TimeLeft, AKindCorrectsItsRule) {
  TimeLeft left({{"a k=1", 1}, {"b k=1", 4}, {"a k=2", 2}, {"b k=2", 4}, {"c", 3}});
  left.finish(10);
  EXPECT_EQ(left.seconds(), 40 + 20 + 40 + 30) << "another kind: as all that are done";
  left.finish(12);
  EXPECT_NEAR(left.seconds(), 20 + 2 + 3 * 12.0 / 5, 1e-9);
}

TEST(TimeLeft, AfterTheNetworkIsAnotherKind) {
  TimeLeft left({{"a k=1", 1}, {"a k=1 after_network", 1}, {"a k=2 after_network", 1}});
  left.finish(10);
  left.finish(11);
  EXPECT_EQ(left.seconds(), 1);
}

TEST(TimeLeft, TheSameModuleOfAnotherFoldTakesAsLong) {
  TimeLeft left({{"a k=1", 1}, {"a k=2", 1}, {"a k=1", 1}, {"a k=2", 1}});
  left.finish(1);
  left.finish(10);
  EXPECT_EQ(left.seconds(), 10);
  left.finish(10.5);
  EXPECT_EQ(left.seconds(), 4.5) << "this fold is twice as fast";
  left.finish(15);
  EXPECT_EQ(left.seconds(), 0);
}

TEST(TimeLeft, WhatACheckpointHoldsTeachesNothing) {
  TimeLeft left({{"a k=1", 1}, {"a k=2", 1}, {"a k=3", 1}});
  left.finish(0);
  EXPECT_EQ(left.seconds(), 2);
  left.finish(3);
  EXPECT_EQ(left.seconds(), 3);
  left.finish(5);
  left.finish(6);  // the network of graphs
  EXPECT_EQ(left.seconds(), 0);
}

TEST(ExpectedSeconds, LongModulesAreKnownFromShortOnes) {
  Features x;
  x.dense = Matrix(2000, 20);
  Problem problem;
  problem.features = &x;
  problem.train.resize(80);
  problem.classes = 3;
  const auto seconds = [&](const std::string& module) { return expected_seconds(module, problem); };
  const double spread = seconds("spread views=rank k=5 rounds=1");
  EXPECT_GT(seconds("spread views=rank k=5 rounds=3"), 2 * spread);
  EXPECT_GT(seconds("gaussian views=rank k=5 rounds=1 steps=0"), spread);
  const double layers = seconds("layers views=rank k=10 rounds=2 hidden=64");
  EXPECT_GT(layers, 10 * spread);
  EXPECT_LT(seconds("layers views=rank k=10 hidden=64 after_network"), 0.7 * layers);
}

// Labels of a stranger's table are few, and most of its columns have nothing to do with them.
TEST(FewLabels, FindTheColumnThatTells) {
  const Rng rng{.seed = 3};
  Table table;
  table.features.dense = Matrix(300, 16);
  for (int32_t i = 0; i < 300; ++i) {
    table.labels.push_back(i % 3);
    for (int64_t f = 0; f < 16; ++f) {
      const float chance = rng.normal(static_cast<uint64_t>(16 * i + f));
      table.features.dense[i][f] =
          f == 0 ? static_cast<float>(2 * (i % 3)) + 0.5f * chance : chance;
    }
  }
  table.split(4, 1);
  table.problem.val_is_drawn = true;
  const Model model = fit(table.problem, {}, Context{1}, {}).model;
  EXPECT_GT(table.hidden_accuracy(model.probabilities), 0.9) << "68 % without landmarks";
}

}  // namespace
}  // namespace glgnn
