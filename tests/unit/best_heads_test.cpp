// The heads of a module: class prototypes, the trained layers, and the module that runs them.
#include <gtest/gtest.h>

#include <cmath>

#include "best_util.h"
#include "modules/layers.h"
#include "modules/module.h"
#include "modules/views.h"

namespace glgnn {
namespace {

using test::Table;

Csr graph_over(const Features& x, int64_t k = 5) {
  return build_row_graph({.views = {&x}}, {.k = k}, Context{1});
}

void expect_training_labels(const Matrix& p, const Problem& problem) {
  for (const int32_t i : problem.train) EXPECT_EQ(p[i][problem.labels[i]], 1.0f) << i;
}

TEST(BestHeads, GaussianPrototypesSeparateTwoBlobsFromOneLabelEach) {
  Table table;
  test::make_blobs(table, 80, 4, 2, 4);
  table.split(1, 0);
  const Csr graph = graph_over(table.features);
  for (const int64_t steps : {0, 2}) {
    for (const bool class_mass : {false, true}) {
      Matrix p = nearest_means(table.features.dense, table.problem, 1);
      EXPECT_TRUE(test::is_probabilities(p));
      gaussian_prototypes(p, table.features.dense, graph, table.problem,
                          {.smoothing = {.steps = steps}, .class_mass = class_mass}, {},
                          Context{1});
      EXPECT_TRUE(test::is_probabilities(p));
      EXPECT_GT(table.hidden_accuracy(p), 0.97) << steps << " steps";
      expect_training_labels(p, table.problem);
    }
  }
}

TEST(BestHeads, GaussianPrototypesMeasureByTheCovariance) {
  // The classes differ by 3 in a narrow column; a wide column hides it from plain distances.
  Table table;
  test::make_blobs(table, 120, 2, 2, 0);
  for (int64_t i = 0; i < 120; ++i) {
    float* row = table.features.dense[i];
    row[0] = 0.5f * row[0] + 3 * static_cast<float>(table.labels[i]);
    row[1] *= 20;
  }
  table.split(10, 0);
  Matrix p = nearest_means(table.features.dense, table.problem, 1);
  gaussian_prototypes(p, table.features.dense, graph_over(table.features), table.problem,
                      {.shrink = 0.001, .smoothing = {.steps = 0}}, {}, Context{1});
  EXPECT_GT(table.hidden_accuracy(p), 0.97);
}

TEST(BestHeads, GaussianPrototypesRebuildTheirGraphInCoordinatesThatSeparate) {
  Table table;
  test::make_blobs(table, 90, 6, 3, 4);
  table.split(2, 0);
  int rebuilt = 0;
  Matrix p = nearest_means(table.features.dense, table.problem, 1);
  gaussian_prototypes(
      p, table.features.dense, graph_over(table.features), table.problem,
      {.iterations = 21, .smoothing = {}},
      [&](const Matrix& coordinates) {
        ++rebuilt;
        EXPECT_EQ(coordinates.cols(), 6 + 2);
        Features view;
        view.dense = coordinates;
        return graph_over(view);
      },
      Context{1});
  EXPECT_EQ(rebuilt, 2);
  EXPECT_GT(table.hidden_accuracy(p), 0.95);
}

TEST(BestHeads, AClassWithoutTrainingRowsIsNotPredictedByTheNearestMean) {
  Table table;
  test::make_blobs(table, 30, 3, 3, 4);
  table.split(2, 0);
  std::erase_if(table.problem.train, [&](int32_t i) { return table.labels[i] == 1; });
  table.reveal();
  const Matrix p = nearest_means(table.features.dense, table.problem, 1);
  EXPECT_TRUE(test::is_probabilities(p));
  for (const int32_t c : predicted_classes(p)) EXPECT_NE(c, 1);
}

TEST(BestHeads, MultinomialPrototypesSeparateCountsFromOneLabelEach) {
  Table table;
  test::make_documents(table, 120, 2, 12, 0.9f);
  table.split(1, 2);
  const Csr graph = graph_over(table.features);
  for (const int64_t steps : {0, 2}) {
    for (const bool dense : {false, true}) {
      Features x = table.features;
      if (dense) make_dense(x);
      const Matrix p = multinomial_prototypes(
          {}, x, graph, table.problem,
          {.pseudo_count = 0.3, .iterations = 12, .smoothing = {.steps = steps, .alpha = 0.2}}, 1);
      EXPECT_TRUE(test::is_probabilities(p));
      EXPECT_GT(table.hidden_accuracy(p), 0.95) << steps << " steps";
      expect_training_labels(p, table.problem);
    }
  }
}

TEST(BestHeads, TheTrainedHeadLearnsOnDenseAndSparseFeatures) {
  for (const bool sparse : {false, true}) {
    Table table;
    if (sparse)
      test::make_documents(table, 90, 3, 10);
    else
      test::make_blobs(table, 90, 6, 3, 2.5f);
    table.split(4, 4);
    const Csr graph = graph_over(table.features);
    const GnnResult result = train_gnn(table.features, graph, table.problem, {}, {}, Context{1});
    EXPECT_TRUE(test::is_probabilities(result.p));
    EXPECT_GT(table.hidden_accuracy(result.p), 0.85) << (sparse ? "sparse" : "dense");
    EXPECT_EQ(*std::max_element(result.selection.begin(), result.selection.end()), 1.0f);
    const GnnResult again = train_gnn(table.features, graph, table.problem, {}, {}, Context{2});
    EXPECT_TRUE(test::same_bits(result.p, again.p)) << "threads";
    const GnnResult other =
        train_gnn(table.features, graph, table.problem, {}, {.seed = 1}, Context{1});
    EXPECT_FALSE(test::same_bits(result.p, other.p)) << "seed";
  }
}

// Without propagation, consistency and a teacher the layers learn from the training rows alone.
TEST(BestHeads, RowsThatNoLossReadsTeachNothing) {
  Table table, other;
  for (Table* each : {&table, &other}) {
    test::make_blobs(*each, 90, 6, 3, 2.5f);
    each->split(4, 0);
  }
  std::vector<bool> trains(90, false);
  for (const int32_t i : other.problem.train) trains[static_cast<size_t>(i)] = true;
  for (int64_t i = 0; i < 90; ++i) {
    for (int64_t f = 0; f < 6 && !trains[static_cast<size_t>(i)]; ++f) {
      other.features.dense[i][f] += 1;
    }
  }
  const Csr graph = graph_over(table.features);
  const auto first_layer = [&](const Table& of, int64_t steps) {
    const GnnOptions options{.epochs = 10, .steps = steps, .consistency = 0};
    return train_gnn(of.features, graph, of.problem, {}, options, Context{1}).layers.first.weights;
  };
  EXPECT_TRUE(test::same_bits(first_layer(table, 0), first_layer(other, 0)));
  EXPECT_FALSE(test::same_bits(first_layer(table, 2), first_layer(other, 2)));
}

TEST(BestHeads, TheTrainedHeadFollowsASureTeacher) {
  Table table;
  test::make_blobs(table, 90, 6, 3, 1.5f);
  table.split(1, 0);
  Matrix teacher(90, 3);
  for (int64_t i = 0; i < 90; ++i) teacher[i][table.labels[i]] = 1;
  const Csr graph = graph_over(table.features);
  const GnnOptions options{.epochs = 60, .teacher_weight = 2};
  const double alone = table.hidden_accuracy(
      train_gnn(table.features, graph, table.problem, {}, options, Context{1}).p);
  const double taught = table.hidden_accuracy(
      train_gnn(table.features, graph, table.problem, teacher, options, Context{1}).p);
  EXPECT_GT(taught, alone);
  EXPECT_GT(taught, 0.75);
}

TEST(BestHeads, ClassSeparationPutsNoiseLast) {
  Table table;
  test::make_blobs(table, 200, 4, 2, 0);
  Features& x = table.features;
  Matrix p(200, 2);
  for (int64_t i = 0; i < 200; ++i) {
    p[i][table.labels[i]] = 1;
    x.dense[i][0] = 50 * (x.dense[i][0] + 4 * static_cast<float>(table.labels[i]));
    x.dense[i][1] += 1.5f * static_cast<float>(table.labels[i]);
    x.dense[i][3] = 7;
  }
  const std::vector<float> parts = class_separation(x, p);
  EXPECT_EQ(parts[0], 1.0f);
  EXPECT_GT(parts[1], 2 * parts[2]);
  EXPECT_LT(parts[1], parts[0]);
  EXPECT_EQ(parts[3], 0.0f) << "a constant column";
  make_sparse(x);
  const std::vector<float> sparse = class_separation(x, p);
  for (size_t f = 0; f < 4; ++f) EXPECT_NEAR(sparse[f], parts[f], 1e-6);
}

TEST(BestHeads, NothingSeparatesColumnsThatAreAllConstant) {
  const Features x = test::dense_features({{1, 2}, {1, 2}, {1, 2}});
  const Matrix p(3, 2, 0.5f);
  for (const float part : class_separation(x, p)) EXPECT_TRUE(std::isfinite(part));
}

// The options of every kind of module, and layers that prototypes teach.
std::vector<KindOptions> every_kind() {
  LayersOptions layers;
  layers.training.epochs = 40;
  LayersOptions taught = layers;
  taught.teacher = LayersOptions::Teacher{};
  taught.teacher->prototypes.scale = 10;
  return {SpreadOptions{}, GaussianOptions{}, MultinomialOptions{.scale = 10}, layers,
          taught,          LandmarkOptions{}};
}

class BestModule : public ::testing::TestWithParam<size_t> {};

INSTANTIATE_TEST_SUITE_P(Kinds, BestModule, ::testing::Range(size_t{0}, every_kind().size()));

TEST_P(BestModule, LearnsAndLeavesItsGraphSelectionAndScore) {
  ModuleSpec spec;
  spec.kind = every_kind()[GetParam()];
  const auto* layers = std::get_if<LayersOptions>(&spec.kind);
  const bool counts =
      std::holds_alternative<MultinomialOptions>(spec.kind) || (layers && layers->teacher);
  Table table;
  if (counts)
    test::make_documents(table, 90, 3, 10);
  else
    test::make_blobs(table, 90, 6, 3, 3);
  table.split(3, 5);
  spec.views = {counts ? View::kTfidf : View::kStandard};
  spec.input = counts ? View::kUnit : View::kStandard;
  spec.graph.label_weight = 0.3;
  spec.rounds = 2;
  SharedInputs shared(table.features, nullptr, Context{1});
  const ModuleResult result = run_module(spec, table.problem, shared, Context{1});
  EXPECT_TRUE(test::is_probabilities(result.stage.p));
  EXPECT_GT(table.hidden_accuracy(result.stage.p), 0.85);
  const Score score = validation_score(result.stage.p, table.problem);
  EXPECT_EQ(result.score.accuracy, score.accuracy);
  EXPECT_EQ(result.score.log_likelihood, score.log_likelihood);
  EXPECT_LE(result.score.value(), score.value());
  EXPECT_EQ(result.graph->rows(), 90);
  EXPECT_EQ(static_cast<int64_t>(result.stage.selection.size()), table.features.cols());
  EXPECT_FALSE(describe(result.spec).empty());
  const ModuleResult again = run_module(spec, table.problem, shared, Context{2});
  EXPECT_TRUE(test::same_bits(result.stage.p, again.stage.p));
  EXPECT_TRUE(test::same_bits(result.graph->values, again.graph->values));
  // Finished for new rows, it says of the fitted ones what it said before, or nearly.
  const FittedModule fitted = finish_module(result, table.problem, shared, Context{1});
  EXPECT_EQ(fitted.kind, kind_name(spec));
  const PoolState& state = std::get<PoolState>(*fitted.state);
  const RowViews rows = shared.fitted_views(views_read({fitted}))->of_rows(table.features);
  Matrix logits;
  std::visit([&](const auto& kind) { logits = kind.logits(rows); }, state.kind);
  if (!logits.empty()) {
    EXPECT_GT(table.hidden_accuracy(logits), 0.8);
  }
}

TEST(BestHeads, ModulesShareTheGraphOfTheSameViews) {
  Table table;
  test::make_blobs(table, 30, 4, 2, 3);
  table.split(2, 2);
  SharedInputs shared(table.features, nullptr, Context{1});
  const auto first = shared.first_graph({View::kStandard}, {}, Context{1});
  EXPECT_EQ(first, shared.first_graph({View::kStandard}, {}, Context{1}));
  EXPECT_NE(first, shared.first_graph({View::kStandard}, {.k = 7}, Context{1}));
}

}  // namespace
}  // namespace glgnn
