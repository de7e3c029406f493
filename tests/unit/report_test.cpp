// The report's data: what is shown of large models, places of rows, and text that cannot break out.
#include <glgnn/error.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/rows.h"
#include "modules/views.h"
#include "report/layout.h"
#include "report/page.h"
#include "report/report_data.h"

namespace glgnn {
namespace {

// Row i points to the next `k` rows, nearer ones with more weight.
Csr ring(int64_t rows, int64_t k) {
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = rows;
  Csr graph;
  for (int64_t i = 0; i < rows; ++i) {
    std::vector<std::pair<int32_t, float>> row;
    for (int64_t d = 1; d <= k; ++d) {
      row.emplace_back(static_cast<int32_t>((i + d) % rows), 1.0f / static_cast<float>(d));
    }
    std::sort(row.begin(), row.end());
    for (const auto& [col, weight] : row) {
      pattern->col.push_back(col);
      graph.values.push_back(weight);
    }
    pattern->row_ptr.push_back(static_cast<int64_t>(pattern->col.size()));
  }
  graph.pattern = std::move(pattern);
  return graph;
}

Matrix two_classes(int64_t rows) {
  Matrix p(rows, 2);
  for (int64_t i = 0; i < rows; ++i) p[i][i < rows / 2 ? 0 : 1] = 1;
  return p;
}

// Six rows, two classes, two features, one module; row 5 has no label, row 4 is predicted wrong.
Model small_model() {
  Model model;
  model.config.mode = Mode::kPaper;
  model.config.modules = 1;
  model.probabilities = two_classes(6);
  model.labels = {0, 0, 0, 1, 0, -1};
  model.train = {0, 3};
  model.val = {1};
  model.test = {2, 4};
  model.class_names = {"</script>", "b"};
  model.feature_names = {"x", "y"};
  model.features.dense = Matrix(6, 2, 1.0f);
  model.features.dense[2][1] = 7;
  model.network = Matrix(2, 2, 1.0f);
  model.modules.resize(1);
  model.modules[0].graph = ring(6, 2);
  model.modules[0].selection = {0.5f, 0.5f};
  model.fused_graph = ring(6, 2);
  model.history = {EpochReport{.epoch = 1, .epochs = 1, .val_accuracy = 1}};
  model.best_epoch = 1;
  return model;
}

std::string base64_text(const std::string& text) {
  return base64({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

TEST(Base64, EveryLengthOfTheLastGroup) {
  EXPECT_EQ(base64_text(""), "");
  EXPECT_EQ(base64_text("M"), "TQ==");
  EXPECT_EQ(base64_text("Ma"), "TWE=");
  EXPECT_EQ(base64_text("Man"), "TWFu");
  EXPECT_EQ(base64_text("\xff\xfe\xfd"), "//79");
}

TEST(ReportRows, AllRowsOrSomeAtEqualDistances) {
  EXPECT_EQ(spaced_rows(4, 10), (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(spaced_rows(10, 4), (std::vector<int32_t>{0, 2, 5, 7}));
}

TEST(ReportRows, KeepsTheStrongestEdgesOfEachRow) {
  const Csr whole = shown_graph(ring(8, 3), spaced_rows(8, 8), 1000);
  EXPECT_EQ(whole.nnz(), 24);
  const Csr cut = shown_graph(ring(8, 3), spaced_rows(8, 8), 23);
  EXPECT_EQ(cut.nnz(), 16);
  for (const float weight : cut.values) EXPECT_GE(weight, 0.5f);
  EXPECT_EQ(shown_graph(ring(8, 3), spaced_rows(8, 8), 7).nnz(), 0);
}

TEST(ReportRows, NumbersASampleAnew) {
  const Csr shown = shown_graph(ring(8, 2), {0, 2, 4, 6}, 1000);
  EXPECT_EQ(shown.rows(), 4);
  EXPECT_EQ(shown.pattern->col, (std::vector<int32_t>{1, 2, 3, 0}));
  for (const float weight : shown.values) EXPECT_FLOAT_EQ(weight, 0.5f);
}

TEST(ReportRows, LeavesLoopsOut) {
  Csr graph = ring(3, 3);  // the third neighbour of each row is itself
  EXPECT_EQ(shown_graph(graph, spaced_rows(3, 3), 1000).nnz(), 6);
}

TEST(Layout, EveryRowHasItsOwnPlaceInTheSquare) {
  const auto places = layout_rows(ring(2000, 5), two_classes(2000));
  std::set<std::pair<float, float>> distinct;
  for (const MapPoint& place : places) {
    ASSERT_TRUE(place.x >= 0 && place.x <= 1 && place.y >= 0 && place.y <= 1);
    distinct.emplace(place.x, place.y);
  }
  EXPECT_EQ(distinct.size(), 2000u);
}

TEST(Layout, ClassesLieApart) {
  const auto places = layout_rows(ring(400, 1), two_classes(400));
  double y[2] = {0, 0};
  for (size_t i = 0; i < places.size(); ++i) y[i < 200 ? 0 : 1] += places[i].y / 200;
  EXPECT_GT(std::abs(y[0] - y[1]), 0.25);
}

TEST(Layout, SameEveryTimeAndForOddSizes) {
  const auto one = layout_rows(ring(300, 4), two_classes(300));
  const auto two = layout_rows(ring(300, 4), two_classes(300));
  for (size_t i = 0; i < one.size(); ++i) {
    ASSERT_EQ(one[i].x, two[i].x);
    ASSERT_EQ(one[i].y, two[i].y);
  }
  EXPECT_TRUE(layout_rows(Csr{}, Matrix(0, 2)).empty());
  EXPECT_EQ(layout_rows(ring(1, 0), Matrix(1, 1, 1.0f)).size(), 1u);
}

TEST(ReportData, CountsByLabelAndPrediction) {
  const Json data = report_data(small_model());
  EXPECT_EQ(data["parts"]["test"]["rows"], 2);
  EXPECT_EQ(data["parts"]["test"]["correct"], 1);
  EXPECT_EQ(data["parts"]["test"]["matrix"], Json({1, 1, 0, 0}));
  EXPECT_EQ(data["parts"]["train"]["right"], Json({1, 1}));
  EXPECT_EQ(data["val_accuracy"], 1.0);
  EXPECT_EQ(data["row_data"]["graphs"].size(), 2u);
}

TEST(ReportData, CertaintyBesideTruth) {
  Model model = small_model();
  model.probabilities[2][0] = 0.85f;
  model.probabilities[2][1] = 0.15f;
  const Json test = report_data(model)["parts"]["test"]["calibration"];
  EXPECT_EQ(test["rows"], Json({0, 0, 0, 0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(test["right"], Json({0, 0, 0, 0, 0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(test["sure"][8], 0.85);
}

TEST(ReportData, InFoldsRowsAreJudgedByTheFoldThatHeldThemBack) {
  Model model = small_model();
  model.held_back = {0, -1, -1, 0, -1, -1};
  model.held_back_certainty = {0.75f, 0, 0, 0.5f, 0, 0};
  model.val.clear();
  const Json val = report_data(model)["parts"]["val"];
  EXPECT_EQ(val["correct"], 1);  // row 3 was taken for class 0
  EXPECT_EQ(val["calibration"]["rows"], Json({0, 0, 0, 0, 0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(val["calibration"]["right"], Json({0, 0, 0, 0, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(val["calibration"]["sure"][7], 0.75);
  EXPECT_EQ(report_data(model)["parts"]["train"]["calibration"], nullptr);
}

TEST(ReportData, ValuesOfTheFeaturesThatCountMost) {
  Model model = small_model();
  model.modules[0].selection[1] = 0.9f;
  const Json all = report_data(model)["row_data"]["values"];
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0]["column"], 1);
  EXPECT_EQ(all[1]["column"], 0);
  const Json one = report_data(model, {.values = 6})["row_data"]["values"];
  ASSERT_EQ(one.size(), 1);
  EXPECT_EQ(one[0]["texts"], nullptr);
  const std::vector<float> column{1, 1, 7, 1, 1, 1};
  EXPECT_EQ(one[0]["values"], base64_of(std::span<const float>(column)));
}

// Of best mode those of the view that modules read; the strongest first, opposite ones among them.
TEST(ReportData, NamesTheColumnsThatAreHeardTogether) {
  Model model = small_model();
  EXPECT_TRUE(report_data(model)["features"]["pairs"].empty());
  auto views = std::make_shared<FittedViews>();
  ViewRule& rule = views->emplace_back().rule;
  rule.view = View::kJoined;
  rule.heard = {std::make_shared<Pattern>(Pattern{2, 2, {0, 1, 2}, {1, 0}}), {0.25f, -0.5f}};
  model.views = views;
  const Json pairs = report_data(model)["features"]["pairs"];
  EXPECT_EQ(pairs, Json::array({Json::array({"y", "x", -0.5}), Json::array({"x", "y", 0.25})}));
}

// Levels of one column are one column again, and numbers are in the units of the table.
TEST(ReportData, WeightsAndValuesGoByTheColumnsOfATable) {
  Model model = small_model();
  EXPECT_EQ(report_data(model)["features"]["names"], Json::array({"x", "y"}));
  TableColumn soil;
  soil.name = "soil";
  soil.kind = ColumnKind::kCategorical;
  soil.levels = {"sand", "clay"};
  TableColumn height;
  height.name = "height";
  height.kind = ColumnKind::kNumeric;
  height.varies = height.indicator = true;
  model.plan.columns = {soil, height};
  model.feature_names =
      model.plan.feature_names = {"soil=sand", "soil=clay", "height", "height is missing"};
  model.plan.scale.factor = {1, 1, 0.5f, 1};
  model.plan.scale.shift = {0, 0, 10, 0};
  model.features.dense = Matrix(6, 4);
  for (int64_t row = 0; row < 6; ++row) model.features.dense[row][row % 2] = 1;
  model.features.dense[4][0] = 0;  // neither level
  model.features.dense[1][2] = 3;
  model.features.dense[2][3] = 1;  // missing
  for (FittedModule& module : model.modules) module.selection = {0.9f, 0.1f, 0.2f, 0.0f};
  const Json data = report_data(model);
  EXPECT_EQ(data["features"]["names"], Json::array({"soil", "height"}));
  const std::vector<uint16_t> weights{65535, 14563};  // the larger of a column's features
  EXPECT_EQ(data["features"]["overall"], base64_of(std::span<const uint16_t>(weights)));
  const Json& values = data["row_data"]["values"];
  EXPECT_EQ(values[0]["texts"], Json::array({"clay", "none of its levels", "sand"}));
  const std::vector<float> levels{2, 0, 2, 0, 1, 0};
  EXPECT_EQ(values[0]["values"], base64_of(std::span<const float>(levels)));
  EXPECT_EQ(values[1]["texts"], nullptr);
  const std::vector<float> heights{10, 16, std::numeric_limits<float>::quiet_NaN(), 10, 10, 10};
  EXPECT_EQ(values[1]["values"], base64_of(std::span<const float>(heights)));
  // Float32 could not tell these apart.
  model.plan.columns[1].offset = 1700000000;
  model.plan.columns[1].lowest = 1700000010;
  model.plan.columns[1].highest = 1700000016;
  EXPECT_EQ(report_data(model)["row_data"]["values"][1]["values"].dump(),
            "[1700000010.0,1700000016.0,null,1700000010.0,1700000010.0,1700000010.0]");
}

TEST(ReportData, LinksArePairsOfRows) {
  const Json data = report_data(small_model(), {.rows = 3});
  EXPECT_EQ(data["rows"], 6);
  EXPECT_EQ(data["row_data"]["shown"], 3);
  EXPECT_EQ(data["row_data"]["graphs"][0]["links"], 12);
  EXPECT_EQ(data["row_data"]["graphs"][0]["links_among_shown"],
            3);  // two steps on: 0 to 2, 2 to 4, 4 to 0
  Model model = small_model();
  model.fused_graph = ring(6, 5);  // every row points to every other
  EXPECT_EQ(report_data(model)["row_data"]["graphs"][0]["links"], 15);
  model.fused_graph = ring(6, 6);  // and to itself
  EXPECT_EQ(report_data(model)["row_data"]["graphs"][0]["links"], 15);
}

TEST(ReportReasons, WrongRowsAndTheLeastCertainComeFirst) {
  Model model = small_model();
  model.probabilities[3][1] = 0.6f;
  const std::vector<int32_t> shown{0, 1, 2, 3, 4, 5};
  constexpr int64_t kRow = 4000 + 4 * 4;  // two edges and two features, one module
  EXPECT_TRUE(explained_places(model, shown, kRow - 1).empty());
  EXPECT_EQ(explained_places(model, shown, kRow), (std::vector<int32_t>{4}));  // the wrong one
  EXPECT_EQ(explained_places(model, shown, 2 * kRow), (std::vector<int32_t>{3, 4}));
  EXPECT_EQ(explained_places(model, {3, 4}, 99 * kRow), (std::vector<int32_t>{0, 1}));

  Matrix many(6, 200, 0.0f);  // classes: each row takes longer, so there are fewer
  for (int64_t i = 0; i < 6; ++i) many[i][i < 3 ? 0 : 1] = 1;
  model.probabilities = many;
  EXPECT_TRUE(explained_places(model, shown, 7 * kRow).empty());
  EXPECT_EQ(explained_places(model, shown, 8 * kRow), (std::vector<int32_t>{4}));
}

TEST(Page, DataCannotEndTheScript) {
  const std::string page = page_with_data("<script>@@REPORT_DATA@@</script>",
                                          "{\"a\":\"</script><b>\xE2\x80\xA8\xE2\x80\xA9\"}");
  EXPECT_EQ(page, "<script>{\"a\":\"\\u003c/script>\\u003cb>\\u2028\\u2029\"}</script>");
  EXPECT_THROW(page_with_data("<html>", "{}"), Error);
}

}  // namespace
}  // namespace glgnn
