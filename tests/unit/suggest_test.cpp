// Which rows to label next.
#include <glgnn/error.h>
#include <glgnn/suggest.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "best_util.h"
#include "kernels/dense.h"
#include "modules/views.h"

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

// (I - 0.9 S + 10 [labelled])^-1 u by hand: in a ring of equal doubts u all hear 10 u; once a row
// of four is held, the one across from it hears 3.404 u.
TEST(Suggest, DoubtSpreadsOverTheGraphAndLabelsHoldIt) {
  const auto found = suggest_rows(make_model(std::vector<float>(9, 0.5f)), 9, {});
  EXPECT_EQ(rows_of({found.begin(), found.begin() + 4}), (std::vector<int32_t>{0, 4, 2, 6}));
  EXPECT_NEAR(found[1].score, 1, 1e-4);
  EXPECT_NEAR(found[2].score, 0.3404, 1e-4);
  const auto alone = std::ranges::find(found, 8, &Suggestion::row);
  EXPECT_NEAR(alone->score, 0.1, 1e-4);
}

// Row 8 is chosen by all others, and chooses none of them.
TEST(Suggest, ARowThatManyChoseWithoutBeingChosenHasNoReach) {
  Model model = make_model(std::vector<float>(9, 0.5f));
  auto pattern = std::make_shared<Pattern>(*model.fused_graph.pattern);
  std::vector<float> values;
  pattern->col.clear();
  for (int64_t i = 0; i < 9; ++i) {
    const Pattern& before = *model.fused_graph.pattern;
    for (int64_t e = before.row_ptr[i]; e < before.row_ptr[i + 1]; ++e) {
      pattern->col.push_back(before.col[e]);
      values.push_back(model.fused_graph.values[e]);
    }
    if (i < 8) {
      pattern->col.push_back(8);
      values.push_back(1.0f);
    }
    pattern->row_ptr[i + 1] = static_cast<int64_t>(pattern->col.size());
  }
  model.fused_graph.pattern = pattern;
  model.fused_graph.values = values;
  const auto found = suggest_rows(model, 9, {});
  EXPECT_NE(found[0].row, 8);
  const auto chosen_by_all = std::ranges::find(found, 8, &Suggestion::row);
  EXPECT_NEAR(chosen_by_all->reach, 1, 1e-6);
}

// Rows 0 and 1 are likely of two classes: their edge passes on little.
TEST(Suggest, AnEdgeCountsAsMuchAsBothRowsAreLikelyOfOneClass) {
  const Model alike = make_model({0.6f, 0.6f, 0.6f, 0.6f, 0.99f, 0.99f, 0.99f, 0.99f, 0.99f});
  const Model apart = make_model({0.6f, 0.01f, 0.6f, 0.6f, 0.99f, 0.99f, 0.99f, 0.99f, 0.99f});
  const auto reach = [](const Model& model) {
    const std::vector<int32_t> only{0};
    return suggest_rows(model, 1, {}, only)[0].reach;
  };
  EXPECT_LT(reach(apart), reach(alike));
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

// A table: rows of numbers, no graph.
Model make_table(const std::vector<std::vector<float>>& rows, std::vector<float> first_class) {
  Model model = make_model(std::move(first_class));
  model.features = test::dense_features(rows);
  model.feature_names.assign(rows.front().size(), "x");
  auto views = std::make_shared<FittedViews>();
  views->push_back({learn_view(View::kStandard, model.features), {}, {}});
  model.views = views;
  return model;
}

// What the label of each row without one would clear up, by the whole covariance and its inverse.
std::vector<double> worth_by_hand(const Model& model, const std::vector<int32_t>& labelled) {
  const int64_t n = model.features.rows();
  const Features x = apply_view(learn_view(View::kStandard, model.features), model.features);
  const auto dot = [&](int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t f = 0; f < x.cols(); ++f) sum += double{x.dense[i][f]} * x.dense[j][f];
    return sum;
  };
  double size = 0, open = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (model.labels[i] < 0) size += dot(i, i), ++open;
  }
  size /= open;
  const auto alike = [&](int64_t i, int64_t j) {
    const double apart = (dot(i, i) + dot(j, j) - 2 * dot(i, j)) / (2 * size);
    return 1 + 2 * dot(i, j) / size + std::exp(-apart) + std::exp(-apart / 0.15);
  };
  const auto count = std::ssize(labelled);
  std::vector<double> inverse(count * count);
  const MatView<double> among{inverse.data(), count, count};
  for (int64_t a = 0; a < count; ++a) {
    for (int64_t b = 0; b < count; ++b) {
      inverse[a * count + b] = alike(labelled[a], labelled[b]) + (a == b ? 1 : 0);
    }
  }
  if (count > 0) ref::invert(among);
  const auto covariance = [&](int64_t i, int64_t j) {
    double sum = alike(i, j);
    for (int64_t a = 0; a < count; ++a) {
      for (int64_t b = 0; b < count; ++b) {
        sum -= alike(i, labelled[a]) * inverse[a * count + b] * alike(labelled[b], j);
      }
    }
    return sum;
  };
  std::vector<double> worth(n, 0.0);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (model.labels[j] >= 0) continue;
      const double p = model.probabilities[j][0], q = 1 - p;
      const double doubt = -(p * std::log2(p) + q * std::log2(q));
      worth[i] += doubt * covariance(i, j) * covariance(i, j) / (1 + covariance(i, i));
    }
  }
  return worth;
}

TEST(SuggestInATable, TheRowThatMakesTheDoubtfulSurest) {
  const std::vector<std::vector<float>> rows{{0.1f, 2.0f}, {0.4f, 1.1f}, {3.0f, 0.2f},
                                             {2.2f, 0.9f}, {1.0f, 1.0f}, {0.2f, 2.5f},
                                             {2.9f, 2.8f}, {1.5f, 0.1f}, {0.7f, 0.6f}};
  Model model = make_table(rows, {0.6f, 0.7f, 0.55f, 0.9f, 0.6f, 0.8f, 0.5f, 0.65f, 0.75f});
  model.labels[3] = 0;
  model.labels[5] = 1;
  std::vector<int32_t> labelled{3, 5};
  const auto found = suggest_rows(model, 4, Context{1});
  ASSERT_EQ(found.size(), 4u);
  double first = 0;
  for (const Suggestion& one : found) {
    std::vector<double> worth = worth_by_hand(model, labelled);
    for (const int32_t row : labelled) worth[row] = -1;
    const auto top = std::ranges::max_element(worth);
    EXPECT_EQ(one.row, top - worth.begin());
    if (first == 0) first = *top;
    EXPECT_NEAR(one.score, *top / first, 1e-4);
    EXPECT_GE(one.reach, 1);
    EXPECT_LE(one.reach, 7);
    labelled.push_back(one.row);
  }
  for (const int threads : {2, 3}) {
    const auto again = suggest_rows(model, 4, Context{threads});
    EXPECT_EQ(rows_of(again), rows_of(found));
    for (size_t s = 0; s < found.size(); ++s) EXPECT_EQ(again[s].score, found[s].score);
  }
}

// Two groups far from each other, and a row far from both: the first two labels go to the groups.
TEST(SuggestInATable, EveryGroupBeforeARowThatStandsAlone) {
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 4; ++i) rows.push_back({0.1f * static_cast<float>(i), 0});
  for (int i = 0; i < 4; ++i) rows.push_back({5 + 0.1f * static_cast<float>(i), 0});
  rows.push_back({2.5f, 9});
  const auto found =
      rows_of(suggest_rows(make_table(rows, std::vector<float>(9, 0.6f)), 2, Context{1}));
  EXPECT_EQ(std::set<int32_t>({found[0] / 4, found[1] / 4}), (std::set<int32_t>{0, 1}));
}

// Texts about two things, whatever their length, and one about something else.
TEST(SuggestAmongTexts, EveryThingThatManyWriteAboutIsAskedFor) {
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 8; ++i) {
    std::vector<float> words(12, 0.0f);
    for (int w = 0; w < 3; ++w) words[i / 4 * 4 + (i + w) % 4] = static_cast<float>(1 + i % 4 * 5);
    rows.push_back(words);
  }
  rows.emplace_back(12, 0.0f)[11] = 1;
  Model model = make_table(rows, std::vector<float>(9, 0.6f));
  make_sparse(model.features);
  const auto found = suggest_rows(model, 4, Context{1});
  const auto first = rows_of({found.begin(), found.begin() + 2});
  EXPECT_EQ(std::set<int32_t>({first[0] / 4, first[1] / 4}), (std::set<int32_t>{0, 1}));
  EXPECT_GT(found[0].reach, 2);
  EXPECT_EQ(rows_of(suggest_rows(model, 4, Context{3})), rows_of(found));
}

TEST(SuggestInATable, WithAGivenGraphItsEdgesCount) {
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 9; ++i) rows.push_back({static_cast<float>(i * i), 0});
  const Model bare = make_model(std::vector<float>(9, 0.5f));
  Model table = make_table(rows, std::vector<float>(9, 0.5f));
  EXPECT_NE(rows_of(suggest_rows(table, 9, {})), rows_of(suggest_rows(bare, 9, {})));
  table.has_graph = true;
  EXPECT_EQ(rows_of(suggest_rows(table, 9, {})), rows_of(suggest_rows(bare, 9, {})));
}

// More rows than are looked at: the list has rows all the same, and each once.
TEST(SuggestInATable, ManyRowsAreThinned) {
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 10'500; ++i) rows.push_back({std::sin(static_cast<float>(i))});
  Model model = make_table(rows, std::vector<float>(rows.size(), 0.6f));
  for (int i = 0; i < 400; ++i) model.labels[i] = i % 2;
  const auto found = rows_of(suggest_rows(model, 5, Context{2}));
  EXPECT_EQ(std::set<int32_t>(found.begin(), found.end()).size(), 5u);
  for (const int32_t row : found) EXPECT_GE(row, 400);
}

}  // namespace
}  // namespace glgnn
