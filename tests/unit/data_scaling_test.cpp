// Scaling of features, and which one suits words.
#include <glgnn/fit_dataset.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "data/data.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

Features dense(int64_t rows, int64_t cols, const std::vector<float>& values) {
  Features f;
  f.dense = Matrix(rows, cols);
  std::copy(values.begin(), values.end(), f.dense.data());
  return f;
}

std::vector<float> numbers(Features f) {
  make_dense(f);
  return {f.dense.data(), f.dense.data() + f.dense.size()};
}

TEST(DataScaling, Standard) {
  // 0.1 in float32 has no exact mean: a constant column must become zero all the same.
  Features f = dense(3, 3, {1, 0.1f, -5, 2, 0.1f, -5, 6, 0.1f, 10});
  scale_features(f, Scaling::kStandard);
  const double sigma = std::sqrt(14.0 / 3.0);  // as NumPy: divided by N
  EXPECT_FLOAT_EQ(f.dense[0][0], static_cast<float>(-2 / sigma));
  EXPECT_FLOAT_EQ(f.dense[2][0], static_cast<float>(3 / sigma));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(f.dense[i][1], 0.0f);
  EXPECT_FLOAT_EQ(f.dense[2][2], static_cast<float>(10 / std::sqrt(50.0)));
}

TEST(DataScaling, MaxRowSumAndRowUnitDenseAndSparse) {
  const std::vector<float> values{3, 0, 4, 0, 0, 0, -1, 8, 0};
  const std::vector<std::pair<Scaling, std::vector<float>>> cases{
      {Scaling::kNone, values},
      {Scaling::kMax, {0.375f, 0, 0.5f, 0, 0, 0, -0.125f, 1, 0}},
      {Scaling::kRowSum, {3.0f / 7, 0, 4.0f / 7, 0, 0, 0, -1.0f / 9, 8.0f / 9, 0}},
      {Scaling::kRowUnit,
       {0.6f, 0, 0.8f, 0, 0, 0, -1 / std::sqrt(65.0f), 8 / std::sqrt(65.0f), 0}}};
  for (const auto& [scaling, expected] : cases) {
    Features a = dense(3, 3, values), b = a;
    make_sparse(b);
    scale_features(a, scaling);
    scale_features(b, scaling);
    EXPECT_TRUE(b.is_sparse);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(numbers(a)[i], expected[i], 1e-7);
      EXPECT_EQ(numbers(a)[i], numbers(b)[i]);
    }
  }
}

TEST(DataScaling, StandardUnitIsStandardThenRowsOfLengthOne) {
  Features both = dense(3, 2, {1, 5, 2, 9, 6, 1}), steps = both;
  scale_features(both, Scaling::kStandardUnit);
  scale_features(steps, Scaling::kStandard);
  EXPECT_NE(numbers(both), numbers(steps));
  scale_features(steps, Scaling::kRowUnit);
  EXPECT_EQ(numbers(both), numbers(steps));
}

TEST(DataScaling, TfidfWeighsRareColumnsMore) {
  // Column 0 is in all four rows, column 1 in two, column 2 in one.
  const std::vector<float> values{1, 0, 0, 2, 3, 0, 1, 0, 0, 1, 1, 1};
  const double idf[] = {1, std::log(5.0 / 3) + 1, std::log(5.0 / 2) + 1};
  Features f = dense(4, 3, values), sparse = f;
  make_sparse(sparse);
  scale_features(f, Scaling::kTfidf);
  scale_features(sparse, Scaling::kTfidf);
  EXPECT_EQ(numbers(f), numbers(sparse));
  for (int i = 0; i < 4; ++i) {
    double length = 0;
    for (int j = 0; j < 3; ++j) length += std::pow(values[3 * i + j] * idf[j], 2);
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(f.dense[i][j], values[3 * i + j] * idf[j] / std::sqrt(length), 1e-6);
    }
  }
}

TEST(DataScaling, LaterRowsAreScaledLikeTheFirst) {
  Features old = dense(2, 2, {0, 10, 2, 30}), late = dense(1, 2, {5, 20});
  apply_scale(late, learn_scale(old, Scaling::kStandard));
  EXPECT_EQ(numbers(late), (std::vector<float>{4, 0}));
  late = dense(1, 2, {3.5f, 10});
  apply_scale(late, learn_scale(old, Scaling::kStandardUnit));  // (2.5, -1) before its length
  EXPECT_FLOAT_EQ(late.dense[0][0], 2.5f / std::sqrt(7.25f));
  EXPECT_FLOAT_EQ(late.dense[0][1], -1 / std::sqrt(7.25f));
  late = dense(1, 2, {60, 15});
  apply_scale(late, learn_scale(old, Scaling::kMax));
  EXPECT_FLOAT_EQ(late.dense[0][0], 2.0f);
  EXPECT_FLOAT_EQ(late.dense[0][1], 0.5f);
}

TEST(DataScaling, RefusesWhatMakesNoSense) {
  const TempFolder folder;
  Features sparse = dense(2, 2, {0, 1, 2, 0});
  make_sparse(sparse);
  EXPECT_EQ(folder.error_of(ErrorKind::kUsage, [&] { scale_features(sparse, Scaling::kStandard); }),
            "setting scaling: found \"standard\" for sparse features, expected none, max, row_sum, "
            "row_unit or tfidf, which leave zeros zero; choose one of them");
  folder.error_of(ErrorKind::kUsage, [&] { scale_features(sparse, Scaling::kStandardUnit); });
  EXPECT_EQ(folder.error_of(ErrorKind::kUsage, [&] { scale_features(sparse, Scaling::kAuto); }),
            "setting scaling: found \"auto\"; resolve_scaling comes first");
  Features wide = dense(1, 3, {1, 2, 3});
  EXPECT_EQ(folder.error_of(ErrorKind::kUsage,
                            [&] { apply_scale(wide, learn_scale(sparse, Scaling::kMax)); }),
            "scaling learned from 2 columns and applied to 3 columns; give the same columns");
}

TEST(DataResolveScaling, TheUserThenThePublishersThenTheNumbers) {
  const Features f = dense(2, 2, {0, 1, 2, 0});
  EXPECT_EQ(resolve_scaling(Scaling::kRowUnit, f, "max"), Scaling::kRowUnit);
  EXPECT_EQ(resolve_scaling(Scaling::kAuto, f, "max"), Scaling::kMax);
  EXPECT_EQ(resolve_scaling(Scaling::kAuto, f, "none"), Scaling::kNone);
  EXPECT_EQ(resolve_scaling(Scaling::kAuto, f, ""), Scaling::kStandardUnit);
}

TEST(DataResolveScaling, SparseRows) {
  Features f = dense(2, 3, {0.6f, 0, 0.8f, 0, 1, 0});
  make_sparse(f);
  EXPECT_EQ(resolve_scaling(Scaling::kAuto, f, ""), Scaling::kNone);
  f.sparse.values[0] = 0.61f;
  EXPECT_EQ(resolve_scaling(Scaling::kAuto, f, ""), Scaling::kRowUnit);
}

// Three rows of 16 columns; column j goes from 0 to top[j].
Features columns(const std::vector<float>& top) {
  Features f;
  f.dense = Matrix(3, static_cast<int64_t>(top.size()));
  for (size_t j = 0; j < top.size(); ++j) f.dense[1][j] = top[j];
  return f;
}

TEST(DataResolveScaling, Pixels) {
  const auto resolve = [](const Features& f) { return resolve_scaling(Scaling::kAuto, f, ""); };
  std::vector<float> top(16, 200.0f);
  EXPECT_EQ(resolve(columns(top)), Scaling::kRowUnit);
  std::fill(top.begin(), top.begin() + 8, 3.0f);
  EXPECT_EQ(resolve(columns(top)), Scaling::kRowUnit) << "half of the columns share the scale";
  top[8] = 3.0f;
  EXPECT_EQ(resolve(columns(top)), Scaling::kStandardUnit) << "less than half";
  top.assign(16, 200.0f);
  top[3] = 200.5f;
  EXPECT_EQ(resolve(columns(top)), Scaling::kStandardUnit) << "not whole";
  top[3] = 256.0f;
  EXPECT_EQ(resolve(columns(top)), Scaling::kStandardUnit) << "too large";
  top[3] = -1.0f;
  EXPECT_EQ(resolve(columns(top)), Scaling::kStandardUnit) << "negative";
  EXPECT_EQ(resolve(columns(std::vector<float>(15, 200.0f))), Scaling::kStandardUnit) << "too few";
  top.assign(40, 0.0f);
  std::fill(top.begin(), top.begin() + 16, 9.0f);
  EXPECT_EQ(resolve(columns(top)), Scaling::kRowUnit) << "constant columns do not count";
  Features levels = columns(std::vector<float>(16, 1.0f));
  levels.indicators = {{0, 16}};
  EXPECT_EQ(resolve(levels), Scaling::kStandardUnit) << "levels of a category";
}

constexpr int64_t kRare = 40, kShared = 12;

// Rows of one rare word and some of the words that many rows share. The class is in the rare word
// and the shared ones are drawn, or the other way round.
Dataset words(bool rare_tells) {
  constexpr int64_t kRows = 240, kTrain = 80;
  Dataset dataset;
  dataset.name = "words";
  dataset.class_names = {"a", "b"};
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = kRows;
  pattern->cols = kRare + kShared;
  Split split;
  for (int64_t i = 0; i < kRows; ++i) {
    const int64_t drawn = i * 2654435761 / 64;
    const int64_t label = i % 2;
    const int64_t of_class = label == 0 ? 0b000111000111 : 0b111000111000;
    const int64_t rare = rare_tells ? i % kRare : drawn / 4096 % kRare;
    const int64_t shared = rare_tells ? drawn : of_class ^ (1 << drawn % kShared);
    pattern->col.push_back(static_cast<int32_t>(rare));
    for (int64_t w = 0; w < kShared; ++w) {
      if (shared >> w & 1) pattern->col.push_back(static_cast<int32_t>(kRare + w));
    }
    pattern->row_ptr.push_back(pattern->nnz());
    dataset.labels.push_back(static_cast<int32_t>(label));
    (i < kTrain ? split.train : split.val).push_back(static_cast<int32_t>(i));
  }
  dataset.features.is_sparse = true;
  dataset.features.sparse = {pattern, std::vector<float>(pattern->nnz(), 1.0f)};
  dataset.splits = {split};
  return dataset;
}

TEST(TextScaling, WeighsByRarityWhereRareWordsTell) {
  const Dataset dataset = words(true);
  EXPECT_EQ(text_scaling(dataset, dataset.splits[0]), Scaling::kTfidf);
}

TEST(TextScaling, LeavesWordsAloneWhereCommonOnesTell) {
  const Dataset dataset = words(false);
  EXPECT_EQ(text_scaling(dataset, dataset.splits[0]), Scaling::kRowUnit);
}

TEST(TextScaling, LeavesWordsAloneWithoutValidation) {
  const Dataset dataset = words(true);
  Split split = dataset.splits[0];
  split.val.clear();
  EXPECT_EQ(text_scaling(dataset, split), Scaling::kRowUnit);
}

// Labels of the test rows are not read: other ones change nothing.
TEST(TextScaling, ReadsNoLabelOfTheTest) {
  Dataset dataset = words(true);
  Split split = dataset.splits[0];
  split.test.assign(split.val.begin() + 100, split.val.end());
  split.val.resize(100);
  const Scaling found = text_scaling(dataset, split);
  for (const int32_t row : split.test) dataset.labels[row] = 1 - dataset.labels[row];
  EXPECT_EQ(text_scaling(dataset, split), found);
}

TEST(TextScaling, IsWhatAutoMeansForSparseFeaturesInPaperMode) {
  const Dataset dataset = words(true);
  const Split& split = dataset.splits[0];
  Config config;
  config.mode = Mode::kPaper;
  EXPECT_EQ(resolve_settings(config, dataset, split).scaling, Scaling::kTfidf);
  EXPECT_EQ(resolve_settings(config, dataset).scaling, Scaling::kRowUnit);
  config.scaling = Scaling::kRowUnit;
  EXPECT_EQ(resolve_settings(config, dataset, split).scaling, Scaling::kRowUnit);
  config.scaling = Scaling::kAuto;
  Dataset named = dataset;
  named.scaling = "row_sum";
  EXPECT_EQ(resolve_settings(config, named, split).scaling, Scaling::kRowSum);
}

}  // namespace
}  // namespace glgnn
