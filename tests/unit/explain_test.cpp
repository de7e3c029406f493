// Explanations: what they name, that they hold, and how they compare.

#include <glgnn/error.h>
#include <glgnn/explain.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bench/explanations.h"
#include "bench/motifs.h"
#include "best_util.h"
#include "cli/scores.h"
#include "data/data.h"

namespace glgnn {
namespace {

using test::Table;

constexpr int64_t kInformative = 4, kNoise = 8;

// The first columns tell the classes apart, the others are noise.
Model planted_model(Table& table, Mode mode, Config config = {}) {
  test::make_blobs(table, 160, kInformative + kNoise, 2, 0);
  for (int64_t i = 0; i < 160; ++i) {
    for (int64_t f = 0; f < kInformative; ++f) {
      table.features.dense[i][f] += table.labels[i] == 0 ? 1.6f : -1.6f;
    }
  }
  table.split(12, 10);
  config.mode = mode;
  config.epochs = mode == Mode::kPaper ? 80 : 20;
  if (mode == Mode::kPaper) config.k = 8;
  Model model = fit(table.problem, config, Context{1}).model;
  Dataset data;
  data.features = table.features;
  data.labels = table.labels;
  for (int64_t f = 0; f < kInformative + kNoise; ++f) {
    data.feature_names.push_back("f" + std::to_string(f));
  }
  data.class_names = {"a", "b"};
  keep_data(model, std::move(data), {});
  return model;
}

class ExplainTest : public ::testing::TestWithParam<Mode> {
 protected:
  void SetUp() override { model_ = planted_model(table_, GetParam()); }

  Table table_;
  Model model_;
};

// Paper mode starts its selection at random and moves it little, so that the order is best mode's
// promise.
TEST(FeatureWeights, PlantedNoiseColumnsComeOutAtTheBottom) {
  Table table;
  const std::vector<double> weights = feature_weights(planted_model(table, Mode::kBest));
  const double least = *std::min_element(weights.begin(), weights.begin() + kInformative);
  const double most_noise = *std::max_element(weights.begin() + kInformative, weights.end());
  EXPECT_GT(least, most_noise);
}

TEST_P(ExplainTest, NamesInformativeFeaturesAndNeighboursOfTheClass) {
  const Explainer explainer(model_, Context{1});
  int64_t informative = 0, features = 0, same = 0, edges = 0;
  for (int32_t row = 0; row < 40; ++row) {
    const Explanation found = explainer.explain(row);
    ASSERT_FALSE(found.features.empty());
    ASSERT_FALSE(found.edges.empty());
    EXPECT_EQ(found.row, row);
    ++features;
    informative += found.features[0].feature < kInformative;
    edges += 1;
    same += table_.labels[found.edges[0].row] == found.predicted;
  }
  EXPECT_GT(informative, 2 * features / 3);  // a third by chance
  EXPECT_GT(same, 2 * edges / 3);            // a half by chance
}

TEST(Explain, NamesNoNeighbourWhereNoModuleHearsOne) {
  Table table;
  Config alone;
  alone.spread_heads = alone.prototype_heads = alone.gnn_heads = false;
  alone.propagation = alone.second_round = false;
  const Model model = planted_model(table, Mode::kBest, alone);
  for (const int32_t row : {0, 1, 50}) {
    const Explanation found = Explainer(model, Context{1}).explain(row);
    EXPECT_TRUE(found.edges.empty());
    ASSERT_FALSE(found.features.empty());
    EXPECT_LT(found.features[0].feature, kInformative);
  }
}

// Columns of noise, and edges that mostly join rows of one class: the edges decide.
TEST(Explain, NamesTheGivenEdgesThatDecided) {
  Table table;
  test::make_blobs(table, 300, 4, 3, 0);
  test::make_class_graph(table);
  table.split(20, 10, true);
  Config config;
  config.spread_heads = config.gnn_heads = config.propagation = false;
  Model model = fit(table.problem, config, Context{1}).model;
  Dataset data;
  data.features = table.features;
  data.labels = table.labels;
  data.feature_names = {"a", "b", "c", "d"};
  data.class_names = {"x", "y", "z"};
  keep_data(model, std::move(data), {});
  const std::vector<int32_t> predicted = predicted_classes(model.probabilities);
  const Explainer explainer(model, Context{1});
  int right = 0, same = 0, with_edges = 0;
  for (int32_t row = 200; row < 300; ++row) {
    const Explanation found = explainer.explain(row);
    right += predicted[row] == table.labels[row];
    same += found.predicted == predicted[row];
    with_edges += !found.edges.empty();
    for (const ExplainedEdge& edge : found.edges) {
      EXPECT_GT(test::weight_at(table.graph, row, edge.row), 0) << "no given edge";
    }
  }
  EXPECT_GT(right, 75);
  EXPECT_GT(same, 95);
  EXPECT_GT(with_edges, 90);
}

TEST_P(ExplainTest, TheSetKeepsThePrediction) {
  const Explainer explainer(model_, Context{1});
  double plus = 0;
  for (int32_t row = 0; row < 30; ++row) {
    const Explanation found = explainer.explain(row);
    EXPECT_LE(found.fidelity_minus, 0.1 * found.probability + 1e-6) << "row " << row;
    EXPECT_GE(found.sparsity, 0.0);
    EXPECT_LE(found.sparsity, 1.0);
    plus += found.fidelity_plus;
    double parts = 0;
    for (const double part : found.modules) parts += part;
    EXPECT_NEAR(parts, 1, 1e-6);
  }
  EXPECT_GT(plus, 0);
}

TEST_P(ExplainTest, TheSameEveryTimeAndForAnyThreads) {
  const auto text = [&](int threads) {
    std::string all;
    const Explainer explainer(model_, Context{threads});
    for (int32_t row = 0; row < 10; ++row) {
      const Explanation found = explainer.explain(row);
      for (const ExplainedEdge& edge : found.edges) {
        all += std::to_string(edge.row) + ":" + std::to_string(edge.weight) + " ";
      }
      for (const ExplainedFeature& feature : found.features) {
        all += std::to_string(feature.feature) + ":" + std::to_string(feature.weight) + " ";
      }
    }
    return all;
  };
  EXPECT_EQ(text(1), text(1));
  EXPECT_EQ(text(1), text(3));
}

TEST_P(ExplainTest, BeatsRandomPicksAndIsStable) {
  StudyOptions options;
  for (int32_t row = 0; row < 12; ++row) options.rows.push_back(row * 3);
  int64_t told = 0;
  options.on_row = [&](int64_t done) { return (told = done) > 0; };
  const std::vector<StudyLine> lines = study_explanations(model_, options, Context{1});
  ASSERT_EQ(lines.size(), 3u);
  const StudyLine &ours = lines[0], &masks = lines[1], &random = lines[2];
  EXPECT_EQ(told, 12);
  EXPECT_EQ(ours.stability, 1.0);
  EXPECT_LT(random.stability, 0.7);
  EXPECT_GT(ours.fidelity_plus, random.fidelity_plus);
  EXPECT_LT(ours.fidelity_minus, random.fidelity_minus);
  EXPECT_LT(masks.fidelity_minus, random.fidelity_minus);  // the baseline must do its work, too
  EXPECT_NEAR(masks.sparsity, ours.sparsity, 1e-9);
}

TEST_P(ExplainTest, LeavingEverythingOutForgetsTheRow) {
  const auto frozen = freeze(model_, Context{1});
  const LocalRow row(*frozen, 5);
  const Matrix p = row.predict({row.all(), row.none()});
  const Judge judge(row);
  EXPECT_NEAR(p[0][judge.predicted()], judge.probability(), 1e-6);
  EXPECT_LT(p[1][judge.predicted()], p[0][judge.predicted()]);
  const Fidelity everything = judge.fidelity(row.all());
  EXPECT_NEAR(everything.minus, 0, 1e-6);
  EXPECT_EQ(everything.sparsity, 0);
}

TEST_P(ExplainTest, AnUnknownRowIsRefused) {
  const Explainer explainer(model_, Context{1});
  EXPECT_THROW(explainer.explain(-1), Error);
  EXPECT_THROW(explainer.explain(160), Error);
}

INSTANTIATE_TEST_SUITE_P(Modes, ExplainTest, ::testing::Values(Mode::kBest, Mode::kPaper),
                         [](const auto& test) {
                           return std::string(test.param == Mode::kBest ? "Best" : "Paper");
                         });

// -log p falls with the mask of edge 2 and feature 1 alone.
TEST(LearnedMasks, KeepWhatTheAnswerNeedsAndDropTheRest) {
  const Importance found = learn_masks(6, 3, 30, {}, [](const Masks& now) {
    Importance slopes{std::vector<double>(6, 0.0), std::vector<double>(3, 0.0)};
    slopes.edges[2] = -4 * (1.2 - now.edges[2]);
    slopes.features[1] = -8 * (1.2 - now.features[1]);
    return slopes;
  });
  for (size_t e = 0; e < found.edges.size(); ++e) {
    if (e == 2)
      EXPECT_GT(found.edges[e], 0.9);
    else
      EXPECT_LT(found.edges[e], 0.2) << e;
  }
  EXPECT_GT(found.features[1], found.features[0]);
  EXPECT_GT(found.features[1], found.features[2]);
}

TEST(Motifs, AreAsThePaperHangsThem) {
  const bench::MotifSet houses = bench::make_motif_set("ba-shapes", 1);
  const bench::MotifSet rings = bench::make_motif_set("tree-cycles", 1);
  const bench::MotifSet on_root = bench::make_motif_set("tree-cycles-root", 1);
  EXPECT_EQ(houses.data.rows(), 300 + 80 * 5);
  EXPECT_EQ(rings.data.rows(), 511 + 80 * 6);
  // The tree, six edges of a ring and the one it hangs by; each is there in both directions.
  EXPECT_EQ(rings.data.graph.nnz(), 2 * (510 + 80 * 7));
  EXPECT_EQ(houses.data.graph.nnz(), 2 * (295 * 5 + 80 * 7 + 70));
  EXPECT_EQ(on_root.data.graph.nnz(), rings.data.graph.nnz());
  EXPECT_EQ(on_root.data.graph.pattern->row_ptr[1], 2 + 80);
}

TEST(Motifs, GnnExplainerFindsThemAmongManyEdges) {
  for (const auto& [name, rows] : {std::pair("ba-shapes", std::vector<int32_t>{300, 450, 600}),
                                   {"tree-cycles-root", {511, 751}}}) {
    const bench::MotifSet set = bench::make_motif_set(name, 0);
    const Split split =
        make_split(set.data.labels, set.data.classes(), {.train = 0.8, .test = 0.2}, 0);
    const bench::MotifGcn gcn(set.data, split, 0, Context{1});
    EXPECT_GT(gcn.test_accuracy(), 0.9);
    for (const int32_t row : rows) {
      const auto edges = gcn.edges_near(row);
      const Importance masks = gcn.learned_masks(row, edges, 0);
      std::vector<cli::Scored> scored;
      std::vector<float> of_motif, others;
      for (size_t e = 0; e < edges.size(); ++e) {
        const bool is_own = set.motif[edges[e].first] == set.motif[row] &&
                            set.motif[edges[e].second] == set.motif[row];
        of_motif.push_back(is_own ? 1 : 0);
        others.push_back(is_own ? 0 : 1);
        scored.push_back({masks.edges[e], is_own});
      }
      // Chance may have added one between two rows of the house.
      EXPECT_GE(std::ranges::count(of_motif, 1.0f), 6) << row;
      EXPECT_GT(cli::area_under_curve(scored, 0, 0), 0.9) << row;
      EXPECT_GT(gcn.probability(row, edges, of_motif), gcn.probability(row, edges, others)) << row;
    }
  }
}

}  // namespace
}  // namespace glgnn
