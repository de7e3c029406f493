// Tables of numbers and categories: what a column is comes from the column, not from the 0s and 1s
// that it becomes.
#include <glgnn/explain.h>
#include <glgnn/fit_dataset.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "best_util.h"
#include "data/data.h"
#include "modules/module.h"
#include "modules/views.h"
#include "report/model_columns.h"
#include "train/pool.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

// 500 rows: age and income decide, a city of 45 levels and a job of 40 say nothing.
constexpr int64_t kRows = 500, kLabelled = 120;

struct Person {
  double age, income;
  int64_t city, job;
  bool yes;
};

Person person(int64_t i) {
  const Rng normal{.seed = 31}, uniform{.seed = 32};
  const double age = normal.normal(2 * i), income = normal.normal(2 * i + 1);
  return {.age = std::max(17.0, std::round(42 + 13 * age)),
          .income = std::round(std::exp(10.3 + 0.6 * income)),
          .city = static_cast<int64_t>(45 * std::pow(uniform.uniform(3 * i), 1.5)),
          .job = static_cast<int64_t>(40 * std::pow(uniform.uniform(3 * i + 1), 1.5)),
          .yes = age + income + 0.5 * (uniform.uniform(3 * i + 2) - 0.5) > 0};
}

std::string people() {
  std::string text = "age,income,city,job,kind\n";
  for (int64_t i = 0; i < kRows; ++i) {
    const Person p = person(i);
    text += std::to_string(p.age) + "," + std::to_string(p.income) + ",c" + std::to_string(p.city) +
            ",j" + std::to_string(p.job) + "," +
            (i >= kLabelled ? ""
             : p.yes        ? "yes"
                            : "no") +
            "\n";
  }
  return text;
}

double accuracy_of(const std::function<bool(int64_t)>& says_yes) {
  double right = 0;
  for (int64_t i = kLabelled; i < kRows; ++i) right += says_yes(i) == person(i).yes;
  return right / static_cast<double>(kRows - kLabelled);
}

// The class of the nearest labelled row by age and the logarithm of the income, both scaled.
bool nearest_says_yes(int64_t i) {
  const Person p = person(i);
  double best = 1e300;
  bool yes = false;
  for (int64_t j = 0; j < kLabelled; ++j) {
    const Person q = person(j);
    const double apart =
        std::hypot((p.age - q.age) / 13, (std::log(p.income) - std::log(q.income)) / 0.6);
    if (apart >= best) continue;
    best = apart;
    yes = q.yes;
  }
  return yes;
}

TEST(MixedTable, LongCategoriesDoNotDrownTheNumbers) {
  constexpr double kLeast = 0.8;
  ASSERT_GT(accuracy_of(nearest_says_yes), kLeast) << "the table is not what it should be";
  const TempFolder folder;
  const Dataset dataset = load_dataset(folder.write("t.csv", people()), {.label = "kind"});
  for (const Mode mode : {Mode::kBest, Mode::kPaper}) {
    Config config;
    config.mode = mode;
    config.averaging = false;
    config.epochs = 60;
    const Model model = fit_dataset(dataset, default_split(dataset, 0), config, {}).model;
    const std::vector<int32_t> predicted = predicted_classes(model.probabilities);
    EXPECT_GT(accuracy_of([&](int64_t i) { return model.class_names[predicted[i]] == "yes"; }),
              kLeast)
        << (mode == Mode::kBest ? "best" : "paper");
  }
}

// Columns: a number, a category of three levels, a gap, a number.
Features mixed_rows() {
  Features x = test::dense_features({{1, 1, 0, 0, 1, 10},
                                     {2, 1, 0, 0, 0, 30},
                                     {4, 0, 1, 0, 0, 20},
                                     {8, 0, 1, 0, 0, 60},
                                     {16, 1, 0, 0, 0, 50},
                                     {32, 0, 0, 1, 1, 40}});
  x.indicators = {{1, 3}, {4, 1}};
  return x;
}

TEST(MixedTable, BothModesScaleACategoryAlike) {
  const Features raw = mixed_rows();
  const Features view = apply_view(learn_view(View::kStandard, raw), raw);
  Features scaled = raw;
  scale_features(scaled, Scaling::kStandard);
  for (int64_t i = 0; i < raw.rows(); ++i) {
    for (int64_t f = 0; f < raw.cols(); ++f) {
      EXPECT_NEAR(scaled.dense[i][f], view.dense[i][f], 1e-6) << "row " << i << " column " << f;
    }
  }
}

TEST(MixedTable, BlocksAreTheLevelsOfAColumnAndItsGaps) {
  const TempFolder folder;
  std::string text = "a,soil,b,kind\n";
  for (int i = 0; i < 30; ++i) {
    text += (i == 3 ? "" : std::to_string(i % 7)) + "," +
            (i == 4       ? ""
             : i % 3 == 0 ? "clay"
             : i % 3 == 1 ? "sand"
                          : "chalk") +
            "," + std::to_string(i % 5) + "," + (i % 2 == 0 ? "x" : "y") + "\n";
  }
  const Dataset d = load_dataset(folder.write("t.csv", text), {.label = "kind"});
  ASSERT_EQ(d.feature_names,
            (std::vector<std::string>{"a", "a is missing", "soil=chalk", "soil=clay", "soil=sand",
                                      "soil is missing", "b"}));
  ASSERT_EQ(d.features.indicators.size(), 2u);
  EXPECT_EQ(d.features.indicators[0].first, 1);
  EXPECT_EQ(d.features.indicators[0].count, 1);
  EXPECT_EQ(d.features.indicators[1].first, 2);
  EXPECT_EQ(d.features.indicators[1].count, 4);
}

TEST(MixedTable, OnlyNumbersAreJudgedToBeTextOrSparse) {
  const TempFolder folder;
  const Dataset d = load_dataset(folder.write("t.csv", people()), {.label = "kind"});
  EXPECT_GE(d.features.cols(), 60);
  EXPECT_FALSE(d.features.is_sparse);
  EXPECT_FALSE(look_at(d.features, 100, false).is_text);
  Features array = d.features;
  array.indicators.clear();
  EXPECT_TRUE(look_at(array, 100, false).is_text) << "the same numbers of which nothing is known";
}

TEST(MixedTable, ACategoryCountsAsOneNumberHoweverManyItsLevels) {
  const Features raw = mixed_rows();
  for (const View view : {View::kStandard, View::kRank}) {
    const Features z = apply_view(learn_view(view, raw), raw);
    EXPECT_EQ(z.indicators.size(), 2u);
    for (const IndicatorBlock& block : raw.indicators) {
      double variance = 0;
      for (int64_t f = block.first; f < block.first + block.count; ++f) {
        double sum = 0, squares = 0;
        std::set<float> values;
        for (int64_t i = 0; i < 6; ++i) {
          sum += z.dense[i][f];
          squares += double{z.dense[i][f]} * z.dense[i][f];
          values.insert(z.dense[i][f]);
        }
        EXPECT_NEAR(sum, 0, 1e-5);
        EXPECT_EQ(values.size(), 2u);
        variance += squares / 6;
      }
      const double expected = block.count > 1 ? 1 : 2.0 / 3;  // of a gap alone: the other rows
      EXPECT_NEAR(variance, expected, 1e-5) << view_name(view) << " column " << block.first;
    }
  }
}

// In one view each level weighs as a number: of three equally common ones the block weighs twice as
// much as in the others, and nothing else changes.
TEST(MixedTable, InOneViewEachLevelCountsAsANumber) {
  const Features raw = mixed_rows();
  const Features by_column = apply_view(learn_view(View::kStandard, raw), raw);
  const Features by_level = apply_view(learn_view(View::kLevels, raw), raw);
  for (int64_t i = 0; i < 6; ++i) {
    for (int64_t f = 0; f < raw.cols(); ++f) {
      const bool is_level = f >= 1 && f < 4;
      const float factor = is_level ? std::sqrt(2.0f) : 1.0f;
      EXPECT_NEAR(by_level.dense[i][f], factor * by_column.dense[i][f], 1e-5) << f;
    }
  }
}

TEST(MixedTable, TheViewOfLevelsIsTriedWhereThereAreThreeOfOneColumn) {
  const auto tries = [](const Features& rows) {
    const auto pool = module_pool(look_at(rows, 40, false), {});
    return std::ranges::count(pool, View::kLevels, &ModuleSpec::input);
  };
  Features rows = mixed_rows();
  EXPECT_EQ(tries(rows), 1);
  rows.indicators = {{1, 2}, {4, 1}};
  EXPECT_EQ(tries(rows), 0);
}

TEST(MixedTable, AGapInOneRowDoesNotMakeItAStranger) {
  Features raw;
  raw.dense = Matrix(1000, 2);
  for (int64_t i = 0; i < 1000; ++i) raw.dense[i][0] = static_cast<float>(i);
  raw.dense[7][1] = 1;
  raw.indicators = {{1, 1}};
  const Features z = apply_view(learn_view(View::kStandard, raw), raw);
  EXPECT_LT(z.dense[7][1] - z.dense[8][1], 4.0f);
  EXPECT_GT(z.dense[7][1] - z.dense[8][1], 1.0f);
}

TEST(MixedTable, NumbersAreTreatedAsIfTheyWereAlone) {
  const Features raw = mixed_rows();
  Features alone = test::dense_features({{1, 10}, {2, 30}, {4, 20}, {8, 60}, {16, 50}, {32, 40}});
  for (const View view : {View::kRaw, View::kStandard, View::kRank}) {
    const Features z = apply_view(learn_view(view, raw), raw);
    const Features expected = apply_view(learn_view(view, alone), alone);
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_FLOAT_EQ(z.dense[i][0], expected.dense[i][0]) << view_name(view);
      EXPECT_FLOAT_EQ(z.dense[i][5], expected.dense[i][1]) << view_name(view);
    }
  }
}

TEST(MixedTable, TheLevelsOfACategoryAreSelectedTogether) {
  const Features raw = mixed_rows();
  Matrix p(6, 2);
  for (int64_t i = 0; i < 6; ++i) p[i][raw.dense[i][1] > 0 ? 0 : 1] = 1;
  const std::vector<float> parts =
      class_separation(apply_view(learn_view(View::kStandard, raw), raw), p);
  EXPECT_EQ(parts[1], parts[2]);
  EXPECT_EQ(parts[2], parts[3]);
  EXPECT_EQ(parts[1], 1.0f) << "nothing separates better";
  EXPECT_NE(parts[4], parts[3]);
}

TEST(MixedTable, AModelFileKnowsWhichFeaturesAreIndicators) {
  const TempFolder folder;
  const Dataset dataset = load_dataset(folder.write("t.csv", people()), {.label = "kind"});
  Config config;
  config.averaging = false;
  config.prototype_heads = config.gnn_heads = config.landmark_heads = false;
  const Model model = fit_dataset(dataset, default_split(dataset, 0), config, {}).model;
  save_model(model, folder.path("m.glgnn"));
  const Model back = load_model(folder.path("m.glgnn"));
  ASSERT_EQ(back.features.indicators.size(), dataset.features.indicators.size());
  for (size_t b = 0; b < back.features.indicators.size(); ++b) {
    EXPECT_EQ(back.features.indicators[b].first, dataset.features.indicators[b].first);
    EXPECT_EQ(back.features.indicators[b].count, dataset.features.indicators[b].count);
  }
}

// Paper mode divides each row by its length, also in the file.
TEST(MixedTable, PaperModeShowsTheTablesOwnValues) {
  const TempFolder folder;
  std::string text = "size,soil,seen,kind\n";
  for (int64_t i = 0; i < 60; ++i) {
    text += (i % 7 == 0 ? "" : std::to_string(100 + 3 * i)) + (i % 2 ? ",clay," : ",sand,") +
            (i % 3 ? "2024-05-1" : "2023-11-1") + std::to_string(i % 5) + (i % 2 ? ",a\n" : ",b\n");
  }
  Config config;
  config.mode = Mode::kPaper;
  config.epochs = 2;
  config.k = 5;
  const Dataset dataset = load_dataset(folder.write("t.csv", text), {.label = "kind"});
  ASSERT_EQ(resolve_settings(config, dataset, default_split(dataset, 0)).scaling,
            Scaling::kStandardUnit);
  const Model fitted = fit_dataset(dataset, default_split(dataset, 0), config, {}).model;
  save_model(fitted, folder.path("m.glgnn"));
  const Model model = load_model(folder.path("m.glgnn"));
  const ModelColumns columns(model);
  std::vector<int32_t> rows(60);
  std::iota(rows.begin(), rows.end(), 0);
  const ColumnCells size = column_cells(model, columns, 0, rows);
  const ColumnCells soil = column_cells(model, columns, 1, rows);
  const ColumnCells seen = column_cells(model, columns, 2, rows);
  EXPECT_TRUE(seen.are_dates);
  EXPECT_FALSE(size.are_dates || soil.are_dates);
  for (int64_t i = 0; i < 60; ++i) {
    if (i % 7 == 0)
      EXPECT_TRUE(std::isnan(size.values[i]));
    else
      EXPECT_NEAR(size.values[i], 100 + 3 * i, 0.01);
    EXPECT_EQ(soil.texts[static_cast<size_t>(soil.values[i])], i % 2 ? "clay" : "sand");
    EXPECT_EQ(seen.texts[static_cast<size_t>(seen.values[i])],
              (i % 3 ? "2024-05-1" : "2023-11-1") + std::to_string(i % 5));
  }
  const Explanation why = Explainer(model, Context{1}).explain(1);
  for (const ExplainedFeature& feature : why.features) {
    const ColumnValue value = column_value(model, feature.feature, feature.value);
    const std::string expected = value.name == "size"   ? "103"
                                 : value.name == "soil" ? "clay"
                                                        : "2024-05-11";
    EXPECT_EQ(value.text, expected) << value.name;
  }
}

}  // namespace
}  // namespace glgnn
