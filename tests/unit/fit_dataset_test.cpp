#include <glgnn/error.h>
#include <glgnn/glgnn.h>
#include <gtest/gtest.h>

#include "toy.h"

namespace glgnn {
namespace {

// A toy as a reader would give it: columns of different sizes, so that scaling matters.
Dataset toy_dataset(bool with_graph = false) {
  test::Toy toy;
  Dataset dataset;
  dataset.name = "toy";
  dataset.features = toy.features;
  for (int64_t i = 0; i < dataset.rows(); ++i) dataset.features.dense[i][0] *= 1000.0f;
  dataset.labels = toy.labels;
  dataset.class_names = {"a", "b", "c"};
  for (int64_t f = 0; f < dataset.features.cols(); ++f) {
    dataset.feature_names.push_back("f" + std::to_string(f));
  }
  dataset.graph = toy.graph;
  dataset.has_graph = with_graph;
  return dataset;
}

Split toy_split() { return make_split(toy_dataset().labels, 3, {.train = 0.5, .test = 0.5}, 3); }

TEST(FitDataset, ScalesFitsAndKeepsTheData) {
  const Dataset dataset = toy_dataset();
  const Split split = toy_split();
  const Model model = fit_dataset(dataset, split, test::Toy::config(), {}).model;
  EXPECT_EQ(model.config.scaling, Scaling::kStandardUnit);
  EXPECT_LE(std::abs(model.features.dense[0][0]), 1.0f);
  EXPECT_EQ(model.labels, dataset.labels);
  EXPECT_EQ(model.test, split.test);
  EXPECT_EQ(model.class_names, dataset.class_names);

  Features scaled = dataset.features;
  scale_features(scaled, Scaling::kStandardUnit);
  Config config = test::Toy::config();
  config.scaling = Scaling::kStandardUnit;
  const Model by_hand = fit(make_problem(dataset, scaled, split, false), config, {}).model;
  EXPECT_EQ(model.fused_graph.values, by_hand.fused_graph.values);
  EXPECT_EQ(predicted_classes(model.probabilities), predicted_classes(by_hand.probabilities));
}

TEST(FitDataset, UsesTheGraphThatCameWithTheData) {
  const Model without = fit_dataset(toy_dataset(false), toy_split(), test::Toy::config(), {}).model;
  const Model with = fit_dataset(toy_dataset(true), toy_split(), test::Toy::config(), {}).model;
  EXPECT_NE(with.fused_graph.values, without.fused_graph.values);
}

Dataset labelled(std::vector<int32_t> labels) {
  Dataset dataset = toy_dataset();
  labels.resize(dataset.labels.size(), -1);
  dataset.labels = std::move(labels);
  return dataset;
}

TEST(SplitLabels, AllTrainWhereAClassHasOneLabelAndTheOthersFew) {
  EXPECT_EQ(split_labels(labelled({0, 1, -1, 2}), 0, 0).train, (std::vector<int32_t>{0, 1, 3}));
  EXPECT_TRUE(split_labels(labelled({0, 1, 0, 1, 0, 1, 2}), 0, 0).val.empty());
  EXPECT_EQ(split_labels(labelled({0, 1, 0, 1}), 0, 0).val.size(), 1u);
  EXPECT_TRUE(split_labels(labelled({0, 1, 0, 1}), 0.5, 0).val.empty())
      << "the test leaves 1 and 1";
}

// Its only label is needed to know the class at all.
TEST(SplitLabels, ASingleLabelOfAClassTrains) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const Split split = split_labels(labelled({2, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}), 0, seed);
    EXPECT_EQ(split.val.size(), 2u);
    EXPECT_EQ(split.train.front(), 0);
  }
}

TEST(FitDataset, StopsWhenAsked) {
  FitOptions options;
  options.on_epoch = [](const EpochReport&) { return false; };
  EXPECT_TRUE(
      fit_dataset(toy_dataset(), toy_split(), test::Toy::config(), {}, options).interrupted);
}

TEST(FitDataset, RefusesASplitWithNothingToTellApart) {
  Split one_class = toy_split();
  std::erase_if(one_class.train, [](int32_t row) { return row % 3 != 0; });
  try {
    fit_dataset(toy_dataset(), one_class, test::Toy::config(), {});
    FAIL() << "one class was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kData);
    EXPECT_STREQ(error.what(),
                 "toy: the training rows hold 1 class, expected at least 2; label more rows, or "
                 "use another split");
  }
}

TEST(DefaultSplit, IsTheOneThatCameWithTheDataOrAFifthValidates) {
  Dataset dataset = toy_dataset();
  const Split made = default_split(dataset, 1);
  EXPECT_EQ(made.train.size(), 48u);
  EXPECT_EQ(made.val.size(), 12u);
  EXPECT_TRUE(made.test.empty());
  dataset.splits = {Split{{0, 1}, {2}, {3}}};
  EXPECT_EQ(default_split(dataset, 1).train, (std::vector<int32_t>{0, 1}));
}

}  // namespace
}  // namespace glgnn
