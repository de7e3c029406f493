#include <glgnn/error.h>
#include <glgnn/suggest.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace glgnn {
namespace {

// Two groups of four rows, each a ring in which every row listens to both neighbours and to itself;
// then a row that nobody listens to but itself.
Model make_model(std::vector<float> first_class) {
  Model model;
  const auto rows = static_cast<int64_t>(first_class.size());
  model.probabilities = Matrix(rows, 2);
  model.labels.assign(first_class.size(), -1);
  model.class_names = {"a", "b"};
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = rows;
  for (int64_t i = 0; i < rows; ++i) {
    model.probabilities[i][0] = first_class[static_cast<size_t>(i)];
    model.probabilities[i][1] = 1 - first_class[static_cast<size_t>(i)];
    std::set<int32_t> columns{static_cast<int32_t>(i)};
    if (i < 8) {
      const int64_t group = i / 4 * 4;
      columns.insert(static_cast<int32_t>(group + (i + 1) % 4));
      columns.insert(static_cast<int32_t>(group + (i + 3) % 4));
    }
    for (const int32_t column : columns) {
      pattern->col.push_back(column);
      model.fused_graph.values.push_back(1.0f / static_cast<float>(columns.size()));
    }
    pattern->row_ptr.push_back(static_cast<int64_t>(pattern->col.size()));
  }
  model.fused_graph.pattern = pattern;
  model.network = Matrix(2, 2);
  model.config.modules = 0;
  return model;
}

std::vector<int32_t> rows_of(const std::vector<Suggestion>& found) {
  std::vector<int32_t> rows;
  for (const Suggestion& one : found) rows.push_back(one.row);
  return rows;
}

TEST(Suggest, TheDoubtfulBeforeTheSure) {
  const Model model = make_model({0.99f, 0.99f, 0.99f, 0.99f, 0.6f, 0.6f, 0.6f, 0.6f, 0.99f});
  const auto found = suggest_rows(model, 1, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].row, 4) << "of equal ones the smallest";
  EXPECT_EQ(found[0].score, 1);
  EXPECT_NEAR(found[0].doubt, 0.971, 1e-3) << "the entropy of 0.6 and 0.4, in bits";
  EXPECT_EQ(found[0].likely, 0);
  EXPECT_EQ(found[0].next, 1);
}

TEST(Suggest, ABatchIsNotRedundant) {
  const Model model = make_model({0.55f, 0.55f, 0.55f, 0.55f, 0.6f, 0.6f, 0.6f, 0.6f, 0.6f});
  const auto rows = rows_of(suggest_rows(model, 2, {}));
  EXPECT_LT(rows[0], 4);
  EXPECT_GE(rows[1], 4) << "the first row speaks for its group";
  EXPECT_LT(rows[1], 8);
}

TEST(Suggest, ARowThatSpeaksForOthersBeforeOneThatStandsAlone) {
  const Model model = make_model({0.6f, 0.6f, 0.6f, 0.6f, 0.99f, 0.99f, 0.99f, 0.99f, 0.6f});
  const auto found = suggest_rows(model, 9, {});
  EXPECT_LT(found[0].row, 4);
  EXPECT_GT(found[0].reach, 2);
  const auto alone = std::ranges::find(found, 8, &Suggestion::row);
  ASSERT_NE(alone, found.end());
  EXPECT_NEAR(alone->reach, 1, 1e-6);
  for (size_t s = 1; s < found.size(); ++s) EXPECT_LE(found[s].score, found[s - 1].score);
}

TEST(Suggest, SaysWhereTheModulesDisagree) {
  Model model = make_model(std::vector<float>(9, 0.5f));
  for (const float first : {1.0f, 0.0f}) {
    FittedModule& module = model.modules.emplace_back();
    module.weight = 0.5f;
    module.probabilities = Matrix(9, 2);
    for (int64_t i = 0; i < 9; ++i) {
      module.probabilities[i][0] = i == 8 ? 0.5f : first;
      module.probabilities[i][1] = 1 - module.probabilities[i][0];
    }
  }
  for (const Suggestion& one : suggest_rows(model, 9, {})) {
    EXPECT_NEAR(one.disagreement, one.row == 8 ? 0 : 1, 1e-6) << one.row;
  }
}

TEST(Suggest, LabelledRowsSpeakAlready) {
  Model model = make_model(std::vector<float>(9, 0.5f));
  model.labels[1] = 0;
  const auto rows = rows_of(suggest_rows(model, 9, {}));
  EXPECT_EQ(rows.size(), 8u);
  EXPECT_GE(rows[0], 4) << "the first group has a label";
  EXPECT_TRUE(std::ranges::find(rows, 1) == rows.end());
}

TEST(Suggest, OnlyCandidatesAndTheSameForAnyThreads) {
  const Model model = make_model(std::vector<float>(9, 0.5f));
  const std::vector<int32_t> candidates{3, 8};
  EXPECT_EQ(rows_of(suggest_rows(model, 9, {}, candidates)), (std::vector<int32_t>{3, 8}));
  EXPECT_EQ(rows_of(suggest_rows(model, 5, Context{1})),
            rows_of(suggest_rows(model, 5, Context{3})));
}

TEST(Suggest, AModelWithoutItsLabelsIsRefused) {
  Model model = make_model(std::vector<float>(9, 0.5f));
  model.labels.clear();
  EXPECT_THROW(suggest_rows(model, 1, {}), Error);
}

}  // namespace
}  // namespace glgnn
