// Which modules are tried and which of them count.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "best_util.h"
#include "network/fuse.h"
#include "network/weights.h"
#include "train/pool.h"

namespace glgnn {
namespace {

using test::Table;

// A module that gives class 0 the same probability in every row.
ModuleResult module_of(float class_0, double score) {
  ModuleResult module;
  Matrix& p = module.stage.p = Matrix(4, 2);
  for (int64_t i = 0; i < 4; ++i) p[i][0] = class_0, p[i][1] = 1 - class_0;
  module.score = {.accuracy = score, .log_likelihood = 0};
  return module;
}

class BestFusion : public ::testing::Test {
 protected:
  BestFusion() {
    x_ = test::dense_features({{0}, {1}, {2}, {3}});
    problem_ = {.features = &x_,
                .graph = nullptr,
                .labels = {0, 1, 0, -1},
                .train = {0, 1},
                .val = {2},
                .classes = 2};
    for (const double score : {0.5, 0.9, 0.7, 0.9}) {
      modules_.push_back(module_of(static_cast<float>(score), score));
    }
  }
  Features x_;
  Problem problem_;
  std::vector<ModuleResult> modules_;
};

TEST_F(BestFusion, MembersAreSortedByValidationAndWeightsSumToOne) {
  const NetworkWeights fusion = weights_by_validation(modules_, problem_, {});
  EXPECT_EQ(fusion.members, (std::vector<size_t>{1, 3, 2, 0}));
  EXPECT_NEAR(std::accumulate(fusion.weights.begin(), fusion.weights.end(), 0.0), 1, 1e-12);
  EXPECT_EQ(fusion.weights[0], fusion.weights[1]);
  EXPECT_GT(fusion.weights[1], fusion.weights[2]);
  EXPECT_GT(fusion.weights[2], fusion.weights[3]);
  double mean = 0;
  for (size_t r = 0; r < 4; ++r)
    mean += fusion.weights[r] * modules_[fusion.members[r]].stage.p[0][0];
  EXPECT_NEAR(fuse_predictions(modules_, fusion)[3][0], mean, 1e-6);
}

// Two say class 0 with 0.9, one with 0.2: together 2/3. The cosines by hand:
// (0.9 * 2/3 + 0.1 / 3) / sqrt(0.82 * 5/9) = 0.93834, (0.2 * 2/3 + 0.8 / 3) / sqrt(0.68 * 5/9) =
// 0.65079.
TEST_F(BestFusion, ModulesCountByWhatTheyAgreeWithAll) {
  const std::vector<ModuleResult> modules{module_of(0.9f, 1), module_of(0.2f, 1),
                                          module_of(0.9f, 1)};
  const NetworkWeights equal{{0, 1, 2}, {1.0 / 3, 1.0 / 3, 1.0 / 3}};
  const NetworkWeights network = weigh_by_agreement(equal, modules);
  EXPECT_EQ(network.members, equal.members);
  EXPECT_NEAR(network.weights[0], 0.93834 / 2.52747, 1e-5);
  EXPECT_NEAR(network.weights[1], 0.65079 / 2.52747, 1e-5);
  EXPECT_NEAR(network.weights[2], 0.93834 / 2.52747, 1e-5);
  const NetworkWeights alone = weigh_by_agreement({{1}, {1.0}}, modules);
  EXPECT_EQ(alone.weights, (std::vector<double>{1}));
}

TEST_F(BestFusion, AsManyMembersAsWanted) {
  Config config;
  config.members = 2;
  EXPECT_EQ(weights_by_validation(modules_, problem_, config).members, (std::vector<size_t>{1, 3}));
  config.members = 60;
  EXPECT_EQ(weights_by_validation(modules_, problem_, config).members.size(), 4u);
  config.averaging = false;
  const NetworkWeights one = weights_by_validation(modules_, problem_, config);
  EXPECT_EQ(one.members, (std::vector<size_t>{1}));
  EXPECT_EQ(one.weights, (std::vector<double>{1}));
  EXPECT_TRUE(test::same_bits(fuse_predictions(modules_, one), modules_[1].stage.p));
}

TEST_F(BestFusion, WithoutValidationRowsAllCountTheSame) {
  problem_.val.clear();
  for (ModuleResult& module : modules_) module.score = {};
  for (int copy = 0; copy < 10; ++copy) modules_.push_back(modules_[copy % 4]);
  const NetworkWeights fusion = weights_by_validation(modules_, problem_, {});
  ASSERT_EQ(fusion.members.size(), 14u);
  for (const double weight : fusion.weights) EXPECT_NEAR(weight, 1.0 / 14, 1e-12);
}

TEST_F(BestFusion, TheNetworkHoldsAgreementsAndInItsLastRowTheWeights) {
  const NetworkWeights fusion = weights_by_validation(modules_, problem_, {});
  std::vector<FittedModule> members(fusion.members.size());
  for (size_t r = 0; r < members.size(); ++r) {
    members[r].probabilities = modules_[fusion.members[r]].stage.p;
    members[r].weight = static_cast<float>(fusion.weights[r]);
  }
  const Matrix network = relation_of(members, fuse_predictions(modules_, fusion));
  ASSERT_EQ(network.rows(), 5);
  for (int64_t a = 0; a < 4; ++a) {
    EXPECT_EQ(network[4][a], static_cast<float>(fusion.weights[a]));
    for (int64_t b = 0; b < 4; ++b) EXPECT_EQ(network[a][b], network[b][a]);
  }
  EXPECT_NEAR(network[0][0], 1, 1e-6);
  EXPECT_NEAR(network[0][3], 0.5 / std::sqrt((0.9 * 0.9 + 0.1 * 0.1) * 0.5), 1e-6);
}

DataKind kind_of(const Features& x) { return look_at(x, 12, false); }

TEST(BestPool, LooksAtWhatTheFeaturesAre) {
  Table table, documents;
  test::make_blobs(table, 40, 20, 3, 2);
  test::make_documents(documents, 40, 3, 5);
  EXPECT_FALSE(kind_of(table.features).is_text);
  EXPECT_FALSE(kind_of(table.features).shares_scale);
  EXPECT_TRUE(kind_of(documents.features).is_text);
  Features dense = documents.features;
  make_dense(dense);
  EXPECT_TRUE(kind_of(dense).is_text);
  Features pixels;
  pixels.dense = Matrix(40, 20);
  for (int64_t e = 0; e < pixels.dense.size(); ++e) {
    pixels.dense.data()[e] = static_cast<float>(e * 37 % 17);
  }
  EXPECT_TRUE(kind_of(pixels).shares_scale);
}

TEST(BestPool, EveryKindHasModulesAndEverySwitchTakesItsPartAway) {
  for (const bool text : {false, true}) {
    for (const bool pixels : {false, true}) {
      const DataKind kind{
          .rows = 100, .columns = 60, .labels = 12, .is_text = text, .shares_scale = pixels};
      Config config;
      const auto all = module_pool(kind, config);
      EXPECT_GE(all.size(), 10u);
      config.class_mass = false;
      for (const ModuleSpec& spec : module_pool(kind, config)) {
        EXPECT_EQ(describe(spec).find("class_mass"), std::string::npos);
      }
      const auto joins = [](const ModuleSpec& spec) { return spec.input == View::kJoined; };
      EXPECT_EQ(std::ranges::count_if(all, joins), 0);
      config = {};
      config.feature_graph = true;
      EXPECT_GT(std::ranges::count_if(module_pool(kind, config), joins), 3);
      config = {};
      config.propagation = config.votes = config.second_round = false;
      config.label_links = config.consistency = config.teacher = false;
      for (const ModuleSpec& spec : module_pool(kind, config)) {
        const std::string note = describe(spec);
        for (size_t at = note.find("steps="); at != std::string::npos;
             at = note.find("steps=", at + 1)) {
          EXPECT_EQ(note[at + 6], '0') << note;
        }
        EXPECT_EQ(spec.views.size(), 1u);
        EXPECT_EQ(spec.rounds, 1);
        EXPECT_EQ(spec.graph.label_weight, 0);
        if (const auto* layers = std::get_if<LayersOptions>(&spec.kind)) {
          EXPECT_EQ(layers->training.teacher_weight, 0);
          EXPECT_EQ(layers->training.consistency, 0);
        }
      }
      config = {};
      config.spread_heads = config.prototype_heads = config.gnn_heads = false;
      EXPECT_EQ(module_pool(kind, config).empty(), text) << "tables have landmarks";
      config.landmark_heads = config.prior_heads = false;
      EXPECT_TRUE(module_pool(kind, config).empty());
      config = {};
      config.k = 4;
      config.seed = 9;
      for (const ModuleSpec& spec : module_pool(kind, config)) {
        EXPECT_EQ(spec.graph.k, 4);
        const auto* layers = std::get_if<LayersOptions>(&spec.kind);
        if (layers) {
          EXPECT_EQ(layers->training.seed, 9u);
        }
      }
    }
  }
}

TEST(BestPool, WideRowsAreReducedBeforeACovariance) {
  const DataKind kind{.rows = 100, .columns = 5000, .labels = 12};
  int covariances = 0;
  for (const ModuleSpec& spec : module_pool(kind, {})) {
    if (!std::holds_alternative<GaussianOptions>(spec.kind)) continue;
    ++covariances;
    EXPECT_EQ(spec.input, View::kSvd64);
  }
  EXPECT_GT(covariances, 0);
}

// A graph that is learned again compares all pairs of rows: not above 20,000 of them.
TEST(BestPool, ManyRowsAreComparedOnlyOnce) {
  const DataKind kind{.rows = 70'000, .columns = 784, .labels = 200};
  int layers = 0;
  for (const ModuleSpec& spec : module_pool(kind, {})) {
    EXPECT_EQ(spec.graph.select, 0) << describe(spec);
    EXPECT_EQ(spec.graph.label_weight, 0) << describe(spec);
    if (!std::holds_alternative<LayersOptions>(spec.kind)) continue;
    ++layers;
    EXPECT_EQ(spec.input, View::kSvd64);
  }
  EXPECT_GT(layers, 0);
}

TEST(BestPool, MostModulesDoubtAGivenGraphAndSomeDoNot) {
  for (const bool has_graph : {false, true}) {
    const DataKind kind{.rows = 500, .columns = 10, .labels = 30, .has_graph = has_graph};
    std::map<std::string, std::pair<int, int>> doubts;  // of each kind: how many do, how many not
    for (const ModuleSpec& spec : module_pool(kind, {})) {
      auto& [some, others] = doubts[kind_name(spec)];
      ++(spec.graph.given_edges == GivenEdges::kTrusted ? some : others);
    }
    for (const auto& [name, counts] : doubts) {
      EXPECT_EQ(counts.first > 0, has_graph) << name;
      EXPECT_GT(counts.second, 0) << name;
      EXPECT_TRUE(!has_graph || counts.first >= counts.second) << name;
    }
  }
}

// Their neighbours are the same, whatever k and view are.
TEST(BestPool, LabelsGoFarAndNearOverAGraphThatIsTakenAsItIs) {
  for (const bool has_graph : {false, true}) {
    const DataKind kind{.rows = 500, .columns = 10, .labels = 30, .has_graph = has_graph};
    std::set<double> back;
    for (const ModuleSpec& spec : module_pool(kind, {})) {
      const auto* spread = std::get_if<SpreadOptions>(&spec.kind);
      if (!spread) continue;
      back.insert(spread->back);
      EXPECT_TRUE(spread->back == kSpreadBack ||
                  spec.graph.given_edges == GivenEdges::kAllDespiteDoubts);
    }
    EXPECT_EQ(back.size(), has_graph ? 4u : 1u);
  }
}

TEST(BestPool, EveryModuleTakesTheGraphAsItIsWhereAsked) {
  Config config;
  config.edge_trust = false;
  const DataKind kind{.rows = 500, .columns = 10, .labels = 30, .has_graph = true};
  for (const ModuleSpec& spec : module_pool(kind, config)) {
    EXPECT_EQ(spec.graph.given_edges, GivenEdges::kAll) << describe(spec);
  }
}

TEST(BestPool, TablesHaveLandmarksHoweverFewTheirLabels) {
  for (const int64_t labels : {2, 18, 500}) {
    const auto pool = module_pool({.rows = 500, .columns = 10, .labels = labels}, {});
    EXPECT_EQ(std::count_if(pool.begin(), pool.end(),
                            [](const ModuleSpec& spec) { return kind_name(spec) == "landmarks"; }),
              6)
        << labels;
  }
}

TEST(BestPool, TreesNeedTwoHundredLabelsOfATable) {
  const auto trees = [](int64_t labels, bool is_text, bool wanted) {
    const DataKind kind{.rows = 500, .columns = 10, .labels = labels, .is_text = is_text};
    Config config;
    config.tree_heads = wanted;
    const auto pool = module_pool(kind, config);
    return std::ranges::count(pool, std::string("trees"), kind_name);
  };
  EXPECT_EQ(trees(199, false, true), 0);
  EXPECT_EQ(trees(200, false, true), 3);
  EXPECT_EQ(trees(5000, false, true), 4);
  EXPECT_EQ(trees(200, true, true), 0);
  EXPECT_EQ(trees(200, false, false), 0);
}

}  // namespace
}  // namespace glgnn
