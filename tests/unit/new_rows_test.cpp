// Rows that fit() has not seen: predictions in both modes, dense and sparse.
#include <glgnn/error.h>
#include <glgnn/new_rows.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "best_util.h"
#include "data/data.h"
#include "data_test_util.h"
#include "model/frozen_model.h"
#include "modules/kinds.h"

namespace glgnn {
namespace {

using test::Table;

enum class Kind {
  kTable,
  kDocuments,
  kDocumentsWithGraph,
  kTableByLandmarks,
  kJoinedColumns,
  kTableByTrees
};

void PrintTo(Kind kind, std::ostream* out) {
  constexpr const char* kNames[] = {
      "table",          "documents",     "documents_with_graph", "table_by_landmarks",
      "joined_columns", "table_by_trees"};
  *out << kNames[static_cast<int>(kind)];
}

class NewRowsTest : public ::testing::TestWithParam<std::tuple<Kind, Mode>> {
 protected:
  // The last 30 rows are new.
  void SetUp() override {
    const auto [kind, mode] = GetParam();
    Table whole;
    const bool by_landmarks = kind == Kind::kTableByLandmarks;
    const bool by_trees = kind == Kind::kTableByTrees;
    const int32_t there = by_trees ? 300 : 120;
    if (kind == Kind::kTable || by_landmarks || by_trees)
      test::make_blobs(whole, there + 30, 6, 3, 2.5f);
    else if (kind == Kind::kJoinedColumns)  // of which each alone says little
      test::make_blobs(whole, 150, 60, 3, 0.8f);
    else
      test::make_documents(whole, 150, 3, 8, 0.7f);
    if (mode == Mode::kPaper && kind == Kind::kTable) {
      scale_features(whole.features, Scaling::kStandard);
    }
    std::vector<int32_t> fitted(there), hidden(30);
    std::iota(fitted.begin(), fitted.end(), 0);
    std::iota(hidden.begin(), hidden.end(), there);
    table_.features = take_rows(whole.features, fitted);
    new_ = take_rows(whole.features, hidden);
    table_.labels.assign(whole.labels.begin(), whole.labels.begin() + there);
    new_labels_.assign(whole.labels.begin() + there, whole.labels.end());
    if (kind == Kind::kDocumentsWithGraph) test::make_class_graph(table_);
    table_.split(by_trees ? 70 : by_landmarks ? 8 : 5, 8, kind == Kind::kDocumentsWithGraph);
    Config config;
    config.mode = mode;
    config.spread_heads = config.prototype_heads = config.gnn_heads = !by_landmarks && !by_trees;
    config.landmark_heads = !by_trees;
    config.epochs = mode == Mode::kPaper ? 60 : 20;
    config.feature_graph = kind == Kind::kJoinedColumns;
    if (config.feature_graph) config.members = 64;  // so that some of them join columns
    if (mode == Mode::kPaper) config.k = 8;
    model_ = fit(table_.problem, config, Context{1}).model;
    Dataset data;
    data.features = table_.features;
    data.labels = table_.labels;
    for (int64_t f = 0; f < data.features.cols(); ++f) {
      data.feature_names.push_back("f" + std::to_string(f));
    }
    data.class_names = {"a", "b", "c"};
    keep_data(model_, std::move(data), {});
  }

  std::vector<int32_t> all_new() const {
    std::vector<int32_t> rows(new_labels_.size());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
  }

  Table table_;
  Features new_;
  std::vector<int32_t> new_labels_;
  Model model_;
};

TEST_P(NewRowsTest, ArePredictedAboutAsWellAsRowsThatWereThere) {
  const NewRowPredictions out = NewRowPredictor(model_, Context{1}).predict(new_);
  EXPECT_TRUE(test::is_probabilities(out.probabilities));
  const double fitted = table_.hidden_accuracy(model_.probabilities);
  const double unseen = accuracy(out.probabilities, new_labels_, all_new());
  EXPECT_GT(fitted, 0.6);
  EXPECT_GT(unseen, fitted - 0.15);
}

TEST_P(NewRowsTest, TheSameForAnyCompanyThreadsAndModelFile) {
  const NewRowPredictor predictor(model_, Context{1});
  const NewRowPredictions together = predictor.predict(new_);
  for (const int32_t row : {0, 7, 29}) {
    const NewRowPredictions alone = predictor.predict(take_rows(new_, {{row}}));
    for (int64_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(alone.probabilities[0][c], together.probabilities[row][c], 1e-6);
    }
    EXPECT_EQ(alone.near[0][0].row, together.near[row][0].row);
  }
  const NewRowPredictions threads = NewRowPredictor(model_, Context{3}).predict(new_);
  EXPECT_TRUE(test::same_bits(threads.probabilities, together.probabilities));
  const TempFolder folder;
  save_model(model_, folder.path("m.glgnn"));
  const Model kept = load_model(folder.path("m.glgnn"));
  const NewRowPredictions from_file = NewRowPredictor(kept, Context{1}).predict(new_);
  EXPECT_TRUE(test::same_bits(from_file.probabilities, together.probabilities));
}

TEST_P(NewRowsTest, ColumnsAreJoinedWhereThatIsAskedFor) {
  const bool asked = std::get<Kind>(GetParam()) == Kind::kJoinedColumns;
  const Csr heard = heard_columns(model_);
  EXPECT_EQ(heard.rows(), asked ? 60 : 0);
  EXPECT_EQ(heard.nnz(), asked ? 5 * 60 : 0);
}

TEST_P(NewRowsTest, NamesTheFittedRowsThatDecided) {
  const NewRowPredictions out = NewRowPredictor(model_, Context{1}).predict(new_, 4);
  const std::vector<int32_t> predicted = predicted_classes(out.probabilities);
  int64_t same_class = 0;
  for (size_t r = 0; r < out.near.size(); ++r) {
    ASSERT_EQ(out.near[r].size(), 4u);
    double sum = 0;
    for (size_t e = 0; e < 4; ++e) {
      sum += out.near[r][e].weight;
      EXPECT_LE(out.near[r][e].weight, out.near[r][e > 0 ? e - 1 : 0].weight);
      same_class += table_.labels[out.near[r][e].row] == predicted[r];
    }
    EXPECT_GT(sum, 0);
    EXPECT_LE(sum, 1.0001);
  }
  EXPECT_GT(same_class, 60);  // of 120; a third by chance
}

TEST_P(NewRowsTest, ModulesThatHearNoNeighbourNameNone) {
  if (std::get<Mode>(GetParam()) == Mode::kPaper) return;  // there all hear
  for (size_t m = 0; m < model_.modules.size(); ++m) {
    ModuleState state = *model_.modules[m].state;
    std::get<PoolState>(state).own_weight = m == 0 ? 0.5 : 1;
    std::get<PoolState>(state).mixing = {};
    model_.modules[m].state = std::make_shared<const ModuleState>(std::move(state));
  }
  const auto frozen = freeze(model_, Context{1});
  std::vector<ModuleLinks> rows = frozen->attach(new_);
  rows.push_back(frozen->fitted_links(3));
  for (const ModuleLinks& links : rows) {
    EXPECT_FALSE(links[0].links.empty());
    for (size_t m = 1; m < links.size(); ++m) EXPECT_TRUE(links[m].links.empty()) << m;
  }
}

TEST_P(NewRowsTest, AFittedRowThatComesAgainHangsOnItself) {
  const NewRowPredictions out = NewRowPredictor(model_, Context{1}).predict(table_.features, 120);
  const std::vector<int32_t> before = predicted_classes(model_.probabilities);
  const std::vector<int32_t> after = predicted_classes(out.probabilities);
  int64_t itself = 0, agree = 0;
  for (int32_t i = 0; i < 120; ++i) {
    itself += std::any_of(out.near[i].begin(), out.near[i].end(),
                          [&](const NearRow& near) { return near.row == i; });
    agree += before[i] == after[i];
  }
  // Paper mode compares by products, in which long rows win.
  EXPECT_GT(itself, std::get<Mode>(GetParam()) == Mode::kBest ? 115 : 30);
  EXPECT_GT(agree, 100);
}

TEST_P(NewRowsTest, OtherColumnsAreRefused) {
  const NewRowPredictor predictor(model_, Context{1});
  EXPECT_THROW(predictor.predict(test::dense_features({{1, 2}})), Error);
  model_.features = {};
  EXPECT_THROW(NewRowPredictor(model_, Context{1}), Error);
}

std::string name_of(const ::testing::TestParamInfo<std::tuple<Kind, Mode>>& test) {
  constexpr const char* kNames[] = {"Table",         "Documents",   "WithGraph", "TableByLandmarks",
                                    "JoinedColumns", "TableByTrees"};
  const std::string kind = kNames[static_cast<int>(std::get<Kind>(test.param))];
  return kind + (std::get<Mode>(test.param) == Mode::kBest ? "Best" : "Paper");
}

INSTANTIATE_TEST_SUITE_P(BestAlone, NewRowsTest,
                         ::testing::Values(std::tuple(Kind::kTableByLandmarks, Mode::kBest),
                                           std::tuple(Kind::kJoinedColumns, Mode::kBest),
                                           std::tuple(Kind::kTableByTrees, Mode::kBest)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Modes, NewRowsTest,
                         ::testing::Combine(::testing::Values(Kind::kTable, Kind::kDocuments,
                                                              Kind::kDocumentsWithGraph),
                                            ::testing::Values(Mode::kBest, Mode::kPaper)),
                         name_of);

}  // namespace
}  // namespace glgnn
