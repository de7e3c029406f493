// The rivals on data whose answer is known.

#include "methods/methods.h"

#include <glgnn/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "compare_page.h"
#include "methods/convolution.h"
#include "scores.h"
#include "studies.h"
#include "study_page.h"
#include "tests/unit/toy.h"

namespace glgnn {
namespace {

MethodValues starts_of(const Method& method) { return draw_settings(method, 1, {}).front(); }

Matrix answer(const std::string& name, const Problem& problem, int threads = 1,
              MethodValues changed = {}) {
  const Method& method = method_named(name);
  changed.merge(starts_of(method));
  return method.fit({problem, changed, 3, Context{threads}}).probabilities;
}

std::vector<int32_t> unseen_rows(const test::Toy& toy) {
  std::vector<int32_t> rows;
  for (int32_t i = 27; i < std::ssize(toy.labels); ++i) rows.push_back(i);
  return rows;
}

double accuracy_of(const std::string& name, const test::Toy& toy, MethodValues changed = {}) {
  return accuracy(answer(name, toy.problem, 1, std::move(changed)), toy.labels, unseen_rows(toy));
}

// The features say nothing; the graph links all rows of a class.
void leave_the_graph_alone(test::Toy& toy) {
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = toy.features.rows();
  for (int32_t i = 0; i < pattern->rows; ++i) {
    for (int32_t j = i % 3; j < pattern->rows; j += 3) {
      if (j != i) pattern->col.push_back(j);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  toy.graph.values.assign(pattern->nnz(), 1.0f);
  toy.graph.pattern = pattern;
  const Rng rng{5, Stream::kInit, 0, 0};
  for (int64_t e = 0; e < toy.features.dense.size(); ++e) {
    toy.features.dense.data()[e] = rng.normal(static_cast<uint64_t>(e));
  }
}

// A random graph mixes the classes; walks along a chain of rows say little about its far end.
bool cannot_know(const std::string& name) { return name == "sparse-gcn" || name == "deepwalk"; }
// Planetoid reads both: those walks and the features.
double least_accuracy(const std::string& name) {
  return cannot_know(name) ? 0.35 : name == "planetoid" ? 0.7 : 0.75;
}

class EveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, FindsThreeClasses) {
  for (const bool sparse : {false, true}) {
    const test::Toy toy(90, 7, sparse, true);
    const Matrix p = answer(GetParam(), toy.problem);
    ASSERT_EQ(p.rows(), 90);
    ASSERT_EQ(p.cols(), 3);
    for (int64_t i = 0; i < p.rows(); ++i) {
      EXPECT_NEAR(p[i][0] + p[i][1] + p[i][2], 1, 1e-4) << i;
      EXPECT_GE(std::min({p[i][0], p[i][1], p[i][2]}), 0) << i;
    }
    EXPECT_GE(accuracy(p, toy.labels, unseen_rows(toy)), least_accuracy(GetParam()))
        << "sparse " << sparse;
  }
}

TEST_P(EveryMethod, RepeatsToTheBitWithAnyNumberOfThreads) {
  const test::Toy toy(60, 7, false, true);
  const Matrix once = answer(GetParam(), toy.problem, 1);
  for (const int threads : {1, 3}) {
    const Matrix again = answer(GetParam(), toy.problem, threads);
    EXPECT_TRUE(std::equal(once.data(), once.data() + once.size(), again.data())) << threads;
  }
}

// A class without a training row, two classes, and no validation rows.
TEST_P(EveryMethod, TakesFewLabels) {
  test::Toy toy(60, 7, false, true);
  Problem& problem = toy.problem;
  std::erase_if(problem.train, [&](int32_t i) { return toy.labels[i] == 2; });
  problem.val.clear();
  problem.labels = reveal_labels(toy.labels, problem.train);
  const Matrix p = answer(GetParam(), problem);
  for (int64_t e = 0; e < p.size(); ++e) ASSERT_TRUE(p.data()[e] >= 0 && p.data()[e] <= 1.001f);
  std::vector<int32_t> rows = unseen_rows(toy);
  std::erase_if(rows, [&](int32_t i) { return toy.labels[i] == 2; });
  EXPECT_GE(accuracy(p, toy.labels, rows), cannot_know(GetParam()) ? 0.4 : 0.7);
}

std::vector<std::string> names_of_methods() {
  std::vector<std::string> names;
  for (const Method& method : all_methods()) names.push_back(method.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(names_of_methods()),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// What passes numbers or labels along the graph learns from it; the others cannot know.
TEST(Methods, LearnFromTheGraphAlone) {
  test::Toy toy(120, 7, false, true);
  leave_the_graph_alone(toy);
  for (const auto* name : {"label-propagation", "label-spreading", "gat", "gcn", "graph-heat",
                           "gmnn", "deepwalk", "lds", "idgl", "grcn", "planetoid", "graphite"}) {
    EXPECT_GE(accuracy_of(name, toy), 0.9) << name;
  }
  for (const auto* name : {"logreg", "rbf-svm", "forest", "mlp", "knn-gcn", "rbf-gcn", "slaps"}) {
    EXPECT_LE(accuracy_of(name, toy), 0.6) << name;
  }
}

// Features that say a little, and a graph that says the rest: those that learn a function of the
// features and use the graph beside it do better than the same function without.
// So many columns of chance that any labels of the training rows fit: only the graph knows.
TEST(Methods, PlanetoidHearsTheGraphBesideFeaturesThatFit) {
  test::Toy toy(90, 7, false, true);
  leave_the_graph_alone(toy);
  const Rng rng{6, Stream::kInit, 0, 0};
  toy.features.dense = Matrix(90, 300);
  for (int64_t e = 0; e < toy.features.dense.size(); ++e) {
    toy.features.dense.data()[e] = rng.normal(static_cast<uint64_t>(e));
  }
  EXPECT_LE(accuracy_of("mlp", toy), 0.6);
  EXPECT_GE(accuracy_of("planetoid", toy), 0.95);
}

TEST(Methods, TheGraphHelpsWeakFeatures) {
  test::Toy toy(120, 7, false, true);
  const Matrix clear = toy.features.dense;
  leave_the_graph_alone(toy);
  for (int64_t e = 0; e < clear.size(); ++e) {
    toy.features.dense.data()[e] += 0.8f * clear.data()[e];
  }
  EXPECT_GE(accuracy_of("ica", toy), accuracy_of("logreg", toy) + 0.1);
  EXPECT_GE(accuracy_of("manireg", toy, {{"smooth", 10}}), accuracy_of("logreg", toy) + 0.02);
}

// Without its pairs the embedding is the feed-forward network, to the bit.
TEST(Methods, SemiEmbeddingIsTheNetworkWithPairs) {
  const test::Toy toy(60);
  const Matrix plain = answer("mlp", toy.problem, 1, {{"hidden", 32}, {"dropout", 0}});
  const auto same = [&](const Matrix& p) {
    return std::equal(p.data(), p.data() + p.size(), plain.data());
  };
  EXPECT_TRUE(same(answer("semi-emb", toy.problem, 1, {{"weight", 0}})));
  EXPECT_FALSE(same(answer("semi-emb", toy.problem, 1, {{"weight", 1}})));
}

TEST(Methods, SelfTrainingLearnsFromRowsWithoutLabels) {
  const test::Toy toy(300);
  EXPECT_GE(accuracy_of("self-training", toy), accuracy_of("logreg", toy));
}

// Two classes in rings around each other: no line parts them.
TEST(Methods, CurvedBordersNeedMoreThanALine) {
  test::Toy toy(200, 2);
  const Rng rng{8, Stream::kInit, 0, 0};
  for (int32_t i = 0; i < 200; ++i) {
    toy.labels[i] = i % 2;
    const double angle = 6.2832 * rng.uniform(2 * i), far = (i % 2 ? 3 : 1) + 0.2 * rng.normal(i);
    toy.features.dense[i][0] = static_cast<float>(far * std::cos(angle));
    toy.features.dense[i][1] = static_cast<float>(far * std::sin(angle));
  }
  toy.problem.classes = 2;
  toy.problem.train.clear();
  toy.problem.val.clear();
  for (int32_t i = 0; i < 27; ++i) {
    (i < 20 ? toy.problem.train : toy.problem.val).push_back(i);
  }
  toy.problem.labels = reveal_labels(toy.labels, toy.problem.train);
  for (const int32_t i : toy.problem.val) toy.problem.labels[i] = toy.labels[i];
  for (const auto* name : {"logreg", "linear-svm"}) EXPECT_LE(accuracy_of(name, toy), 0.7) << name;
  for (const auto* name : {"rbf-svm", "forest"}) EXPECT_GE(accuracy_of(name, toy), 0.85) << name;
  EXPECT_GE(accuracy_of("label-propagation", toy, {{"cosine", 0}}), 0.85);
}

// The middle of these two is rounded to the larger one.
TEST(Methods, AForestCutsBetweenNeighbouringFloats) {
  test::Toy toy(60);
  toy.features.dense = Matrix(60, 1);
  for (int32_t i = 0; i < 60; ++i) {
    const float next = std::nextafter(1.0f, 2.0f);
    toy.features.dense[i][0] = i % 2 ? next : std::nextafter(next, 2.0f);
  }
  for (const int32_t i : toy.problem.train) toy.problem.labels[i] = i % 2;
  const Matrix p = answer("forest", toy.problem);
  EXPECT_GT(p[0][0], 0.9f);
  EXPECT_GT(p[1][1], 0.9f);
}

TEST(Methods, ARandomGraphIsWorseThanNone) {
  const test::Toy toy(120);
  EXPECT_GE(accuracy_of("mlp", toy), accuracy_of("sparse-gcn", toy, {{"degree", 10}}) + 0.15);
}

// Half of the edges link rows of different classes: those that learn a graph must see which.
TEST(Methods, LearnedGraphsTellEdgesFromNoise) {
  test::Toy toy(120, 7, false, true);
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = 120;
  for (int32_t i = 0; i < 120; ++i) {  // 3 steps: the same class, 10 steps: another one
    for (const int32_t step : {-10, -3, 3, 10}) {
      if (i + step >= 0 && i + step < 120) pattern->col.push_back(i + step);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  toy.graph.values.assign(pattern->nnz(), 1.0f);
  toy.graph.pattern = pattern;
  for (const auto* name : {"lds", "idgl", "grcn", "pro-gnn", "glcn"}) {
    const Method& method = method_named(name);
    MethodValues values = starts_of(method);
    if (values.contains("smooth")) values["smooth"] = 1;
    const Csr graph = method.fit({toy.problem, values, 3, Context{1}}).graph;
    double mean[2] = {}, count[2] = {};
    for (int64_t i = 0; i < 120; ++i) {
      for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
        const int64_t step = std::abs(graph.pattern->col[e] - i);
        if (step != 3 && step != 10) continue;
        mean[step == 3] += graph.values[e];
        count[step == 3] += 1;
      }
    }
    EXPECT_GE(mean[1] / count[1], 1.1 * mean[0] / std::max(1.0, count[0])) << name;
  }
}

TEST(Methods, NormalisedGraphIsTheOneOfThePaper) {
  // A path of three rows: degrees with self-loops 2, 3, 2.
  Csr path;
  path.pattern = std::make_shared<Pattern>(Pattern{3, 3, {0, 1, 3, 4}, {1, 0, 2, 1}});
  path.values = {1, 1, 1, 1};
  const Csr s = normalised_graph(path);
  EXPECT_EQ(s.pattern->col, (std::vector<int32_t>{0, 1, 0, 1, 2, 1, 2}));
  const float side = 1 / std::sqrt(6.0f);
  const std::vector<float> expected{0.5f, side, side, 1 / 3.0f, side, side, 0.5f};
  for (size_t e = 0; e < expected.size(); ++e) EXPECT_NEAR(s.values[e], expected[e], 1e-6);
}

TEST(MethodSearch, BeginsWithThePapersSettingsAndNeverRepeats) {
  const Method& gcn = method_named("gcn");
  const auto drawn = draw_settings(gcn, 8, {});
  ASSERT_EQ(drawn.size(), 8u);
  for (const auto& setting : gcn.settings) EXPECT_EQ(drawn[0].at(setting.name), setting.start);
  EXPECT_EQ(std::set<MethodValues>(drawn.begin(), drawn.end()).size(), 8u);
  // Fewer where there are no more.
  EXPECT_EQ(draw_settings(
                {.name = "few", .paper = "", .text = "", .settings = {{"a", 1, {1, 2}, ""}}}, 8, {})
                .size(),
            2u);
}

TEST(MethodSearch, DrawsFromGivenValuesAlone) {
  for (const auto& values : draw_settings(method_named("gcn"), 8, {{"dropout", {0.1, 0.2}}})) {
    EXPECT_TRUE(values.at("dropout") == 0.1 || values.at("dropout") == 0.2);
  }
  EXPECT_THROW(draw_settings(method_named("gcn"), 8, {{"drop", {0.1}}}), Error);
  EXPECT_THROW(method_named("gnc"), Error);
}

TEST(MethodSearch, EveryStartIsAmongWhatIsTried) {
  for (const Method& method : all_methods()) {
    EXPECT_FALSE(method.text.empty() || method.paper.empty() || !method.fit) << method.name;
    for (const auto& [name, start, tried, text] : method.settings) {
      EXPECT_NE(std::ranges::find(tried, start), tried.end()) << method.name << " " << name;
      EXPECT_FALSE(text.empty()) << method.name << " " << name;
    }
  }
}

}  // namespace

// What the commands about rivals show: pages, scores, studies.

namespace cli {
namespace {

TEST(ComparePage, ShowsRankIntervalTimeMemoryAndFaults) {
  const Standing first{.name = "forest",
                       .accuracy = {0.9, 0.92},
                       .low = 0.88,
                       .high = 0.94,
                       .seconds = 2,
                       .memory_mb = 31,
                       .as_good = true};
  const Standing failed{.name = "gcn", .fault = "needs a <graph>"};
  const std::string page = compare_page({"a & b", 150, 2, 8}, {first, failed});
  for (const auto* text : {"Methods on a &amp; b", "forest", "91.0 %", "88.0 .. 94.0 %", "31 MB",
                           "<tr class=\"best\">", "failed: needs a &lt;graph&gt;", "150 rows"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  // 85 to 95 % is drawn: the interval's ends and the mean lie at 30, 90 and 60 % of it.
  for (const auto* place : {"x1=\"81.2\"", "x2=\"227.6\"", "cx=\"154.4\""}) {
    EXPECT_NE(page.find(place), std::string::npos) << place;
  }
}

TEST(Statistics, MeanAndDeviationOfASample) {
  EXPECT_DOUBLE_EQ(mean_of({0.90, 0.92, 0.94}), 0.92);
  EXPECT_NEAR(deviation_of({0.90, 0.92, 0.94}), 0.02, 1e-12);
  EXPECT_EQ(deviation_of({0.9}), 0);
}

TEST(Statistics, IntervalGrowsWithWhatTheRunsShare) {
  const std::vector<double> runs{0.90, 0.92, 0.94};
  // Student's t for three runs is 4.30; without shared rows it is the usual interval.
  EXPECT_NEAR(interval_of(runs, 0), 4.30 * 0.02 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(interval_of(runs, 0.5), 4.30 * 0.02 * std::sqrt(1 / 3.0 + 0.5), 1e-6);
  EXPECT_EQ(interval_of(runs, 20), interval_of(runs, 1));
  EXPECT_EQ(interval_of({0.9}, 0), 0);
}

TEST(Statistics, AreaUnderCurveCountsTiesHalf) {
  EXPECT_EQ(area_under_curve({{3, true}, {2, true}, {1, false}}, 0, 0), 1.0);
  EXPECT_EQ(area_under_curve({{3, false}, {2, true}, {1, true}}, 0, 0), 0.0);
  // Of the four pairs two are won and one is even.
  EXPECT_EQ(area_under_curve({{3, true}, {1, false}, {1, true}, {2, false}}, 0, 0), 0.625);
  // The same with the scores of 0 counted, not listed.
  EXPECT_EQ(area_under_curve({{3, true}, {2, false}}, 1, 1), 0.625);
  EXPECT_EQ(area_under_curve({{3, true}}, 1, 0), 0.5);
}

// A graph of two true edges and two wrong ones, of which the learned graph has one each.
TEST(NoiseStudy, JudgesEdgesOfAGivenGraph) {
  const auto graph = [](std::vector<int64_t> starts, std::vector<int32_t> cols,
                        std::vector<float> values) {
    return Csr{std::make_shared<Pattern>(Pattern{3, 3, std::move(starts), std::move(cols)}),
               std::move(values)};
  };
  NoisyGraph noisy{graph({0, 2, 4, 4}, {1, 2, 0, 2}, {1, 1, 1, 1}), {}};
  noisy.added = *graph({0, 1, 2, 2}, {2, 2}, {}).pattern;
  const Csr learned = graph({0, 3, 4, 5}, {0, 1, 2, 0, 2}, {1, 0.9f, 0.2f, 0, 1});
  const NoiseResult known = judge_edges(noisy, true, learned, {0, 0, 1});
  EXPECT_EQ(known.added, 2);
  EXPECT_EQ(known.kept, 1);
  EXPECT_NEAR(known.by_chance, 2 * 2 / 6.0, 1e-12);
  EXPECT_EQ(known.precision, 0.5);
  EXPECT_EQ(known.recall, 0.5);
  EXPECT_EQ(known.auc, 0.625);  // 0.9 and 0 against 0.2 and 0
  // Where noise is all there is, edges within a class are the true ones: 0-1 of 0-1 and 1-0.
  const NoiseResult unknown = judge_edges(noisy, false, learned, {0, 0, 1});
  EXPECT_EQ(unknown.precision, 0.5);
  EXPECT_EQ(unknown.recall, 0.5);
  EXPECT_EQ(unknown.auc, (4 + 0.5 * 3) / 8);
}

TEST(NoiseStudy, JudgesColumnsByTheLastOnes) {
  EXPECT_EQ(judge_columns({0.9, 0.1, 0.2, 0.05}, 2), 0.75);
}

TEST(StudyPage, DrawsCurvesBetweenRoundNumbers) {
  const Chart chart{"a < b", "x", "y", {{"one", {0, 1}, {0, 1}}, {"two", {0.5}, {0.5}, {0.25}}}};
  const std::string svg = svg_of(chart);
  for (const auto* text :
       {"a &lt; b", "points=\"60.0,250.0 480.0,12.0 \"", "cx=\"270.0\" cy=\"131.0\"",
        "y1=\"190.5\" y2=\"71.5\"", ">0.2</text>", ">1</text>", ">two</text>"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text << svg;
  }
  const std::string page = study_page({.title = "t",
                                       .notes = {"n & m"},
                                       .tables = {{"rows", {{"name"}, {"z", true}}, {{"r", "3"}}}},
                                       .charts = {chart}});
  for (const auto* text : {"<h1>t</h1>", "n &amp; m", "<td class=\"number\">3</td>", "<polyline"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

// One value, or none, has an axis, too.
TEST(StudyPage, DrawsASinglePoint) {
  EXPECT_NE(svg_of({"t", "x", "y", {{"one", {3}, {7}}}}).find("<circle"), std::string::npos);
  EXPECT_EQ(svg_of({"t", "x", "y", {}}).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace cli
}  // namespace glgnn
