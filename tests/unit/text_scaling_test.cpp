#include "data/text_scaling.h"

#include <glgnn/fit_dataset.h>
#include <gtest/gtest.h>

#include <memory>

namespace glgnn {
namespace {

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
