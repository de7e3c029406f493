// The heads of tables: the one that links every row to all labelled ones, and boosted trees.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "best_util.h"
#include "core/rng.h"
#include "data/data.h"
#include "modules/landmarks.h"
#include "modules/module.h"
#include "modules/soft_labels.h"
#include "modules/trees.h"
#include "toy.h"

namespace glgnn {
namespace {

using test::Table;

constexpr LandmarkOptions kSelecting{.curved = true, .selects = true, .smoothing = {}};
constexpr LandmarkOptions kOneWeight{.curved = true, .selects = false, .smoothing = {}};
constexpr LandmarkOptions kLinear{.curved = false, .selects = false, .smoothing = {}};

// A disc in a ring, and columns of noise; the two classes in turn.
void make_disc_and_ring(Table& table, int64_t n, int64_t noise_columns) {
  const Rng rng{.seed = 3};
  table.features.dense = Matrix(n, 2 + noise_columns);
  table.labels.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<uint64_t>(100 * i);
    table.labels[i] = static_cast<int32_t>(i % 2);
    const double radius = (i % 2 ? 2.0 : 0.7) + 0.15 * rng.normal(at);
    const double angle = 2 * std::numbers::pi * rng.uniform(at + 1);
    float* row = table.features.dense[i];
    row[0] = static_cast<float>(radius * std::cos(angle));
    row[1] = static_cast<float>(radius * std::sin(angle));
    for (int64_t f = 0; f < noise_columns; ++f) row[2 + f] = rng.normal(at + 2 + f);
  }
}

LandmarkEvidence small_evidence() {
  const Rng rng{.seed = 7};
  LandmarkEvidence e{.points = {}, .target = {}, .share = {0.5, 0.3, 0.2}, .trust = {}};
  e.rows = 9;
  e.features = 3;
  e.classes = 3;
  e.origin = {0, 1, 2};
  for (int64_t i = 0; i < e.rows; ++i) {
    for (int64_t f = 0; f < 3; ++f) e.points.push_back(rng.normal(10 * i + f));
    for (int64_t c = 0; c < 3; ++c) e.target.push_back((i % 3 == c ? 1.0 : 0.0) - e.share[c]);
    e.trust.push_back(0.5 + 0.2 * static_cast<double>(i % 4));
  }
  return e;
}

void check_gradient(const LandmarkEvidence& e, const std::vector<double>& sizes) {
  std::vector<double> gradient(sizes.size()), ignored(sizes.size());
  e.value(sizes, gradient);
  for (size_t s = 0; s < sizes.size(); ++s) {
    constexpr double kStep = 1e-5;
    std::vector<double> up = sizes, down = sizes;
    up[s] += kStep;
    down[s] -= kStep;
    const double slope = (e.value(up, ignored) - e.value(down, ignored)) / (2 * kStep);
    EXPECT_NEAR(gradient[s], slope, 1e-5 * std::max(1.0, std::abs(slope))) << "size " << s;
  }
}

TEST(LandmarkHead, TheGradientOfTheEvidenceIsThatOfItsValue) {
  LandmarkEvidence e = small_evidence();
  check_gradient(e, {-0.5, 0.3, -2, -1.5, -2.5, -3});
  e.origin = {0, 1, 1};  // two levels of one category
  check_gradient(e, {-0.5, 0.3, -1.5, -2.5, -3});
}

TEST(LandmarkHead, LogitsAreTheSumOfLinksAndLinearPart) {
  LandmarkHead head;
  head.landmarks = test::dense_features({{0, 1}, {2, -1}, {0.5, 0.5}}).dense;
  head.weights = test::dense_features({{0.7f, 1.3f}}).dense;
  head.links = test::dense_features({{1, -1}, {0.5, 2}, {-3, 0}}).dense;
  head.linear = {test::dense_features({{0.1f, 0.2f}, {-0.3f, 0.4f}}).dense,
                 test::dense_features({{5, 6}}).dense};
  Matrix x(1100, 2);  // more than one block
  for (int64_t e = 0; e < x.size(); ++e) x.data()[e] = static_cast<float>(e % 23) / 7 - 1.5f;
  const Matrix found = landmark_logits(head, x, 1);
  for (const int64_t i : {0, 511, 512, 1099}) {
    for (int64_t c = 0; c < 2; ++c) {
      double expected = head.linear.offset[0][c];
      for (int64_t f = 0; f < 2; ++f) expected += x[i][f] * head.linear.weights[f][c];
      for (int64_t t = 0; t < 3; ++t) {
        double squares = 0;
        for (int64_t f = 0; f < 2; ++f) {
          squares += std::pow(head.weights[0][f] * (x[i][f] - head.landmarks[t][f]), 2);
        }
        expected += head.links[t][c] * std::exp(-0.5 * squares);
      }
      EXPECT_NEAR(found[i][c], expected, 1e-4);
    }
  }
  EXPECT_TRUE(test::same_bits(found, landmark_logits(head, x, 2)));
}

TEST(LandmarkHead, SeesARingAndWhichColumnsAreNoise) {
  Table table;
  make_disc_and_ring(table, 400, 4);
  table.split(25, 0);
  const LandmarkHead head = fit_landmarks(table.features, table.problem, kSelecting);
  Matrix p = landmark_logits(head, table.features.dense, 1);
  softmax_rows(p);
  EXPECT_GT(table.hidden_accuracy(p), 0.95);
  for (int64_t f = 2; f < 6; ++f) {
    EXPECT_LT(head.weights[0][f], 0.4f * std::min(head.weights[0][0], head.weights[0][1])) << f;
  }
}

TEST(LandmarkHead, OneWeightForAllFeaturesWhereItDoesNotSelect) {
  Table table;
  make_disc_and_ring(table, 200, 0);
  table.split(20, 0);
  const LandmarkHead head = fit_landmarks(table.features, table.problem, kOneWeight);
  EXPECT_EQ(head.weights[0][0], head.weights[0][1]);
  Matrix p = landmark_logits(head, table.features.dense, 1);
  EXPECT_GT(table.hidden_accuracy(p), 0.95);
}

// Five folds of five classes in turn would each hold back a whole class.
TEST(LandmarkHead, ClassesInTurnAreNoWorseThanInAnyOtherOrder) {
  Table table;
  test::make_blobs(table, 600, 5, 5, 2.5);
  table.split(40, 0);
  const auto loss = [&] {
    Matrix p = landmark_logits(fit_landmarks(table.features, table.problem, kOneWeight),
                               table.features.dense, 1);
    softmax_rows(p);
    double sum = 0;
    for (const int32_t row : table.hidden_rows()) sum -= clipped_log(p[row][table.labels[row]]);
    return sum;
  };
  const double in_turn = loss();
  std::ranges::stable_sort(table.problem.train, {}, [&](int32_t row) { return row % 5; });
  EXPECT_LT(in_turn, 1.1 * loss());
}

TEST(LandmarkHead, TheLinearPartAloneIsLogisticRegression) {
  Table blobs, ring;
  test::make_blobs(blobs, 200, 3, 2, 4);
  make_disc_and_ring(ring, 200, 0);
  const auto accuracy_of = [](Table& table) {
    table.split(20, 0);
    const LandmarkHead head = fit_landmarks(table.features, table.problem, kLinear);
    for (int64_t e = 0; e < head.links.size(); ++e) EXPECT_EQ(head.links.data()[e], 0.0f);
    return table.hidden_accuracy(landmark_logits(head, table.features.dense, 1));
  };
  EXPECT_GT(accuracy_of(blobs), 0.97);
  EXPECT_LT(accuracy_of(ring), 0.8) << "no line parts a disc from its ring";
}

// Steps that are safe for any likelihood are short where classes are many; the first ones, hardly
// longer than none, were taken for the end: 53 % right.
TEST(LandmarkHead, ManyClassesAreLearnedToTheEnd) {
  constexpr int64_t kClasses = 100, kColumns = 8;
  const Rng rng{.seed = 11};
  Table table;
  table.features.dense = Matrix(6 * kClasses, kColumns);
  for (int64_t i = 0; i < 6 * kClasses; ++i) {
    const int64_t c = i % kClasses;
    table.labels.push_back(static_cast<int32_t>(c));
    for (int64_t f = 0; f < kColumns; ++f) {
      table.features.dense[i][f] =
          3 * rng.normal(c * kColumns + f) + rng.normal(10'000 + i * kColumns + f);
    }
  }
  table.split(3, 0);
  for (const LandmarkOptions& options : {kOneWeight, kLinear}) {
    const LandmarkHead head = fit_landmarks(table.features, table.problem, options);
    const double right = table.hidden_accuracy(landmark_logits(head, table.features.dense, 1));
    EXPECT_GT(right, 0.8) << options.curved;
  }
}

TEST(LandmarkHead, ColumnsThatSayNothingGiveTheSharesOfTheClasses) {
  Table table;
  test::make_blobs(table, 60, 3, 3, 2);
  table.features.dense.fill(0.0f);
  table.split(10, 0);
  for (const LandmarkOptions& options : {kSelecting, kOneWeight, kLinear}) {
    Matrix p = landmark_logits(fit_landmarks(table.features, table.problem, options),
                               table.features.dense, 1);
    softmax_rows(p);
    for (int64_t e = 0; e < p.size(); ++e) EXPECT_NEAR(p.data()[e], 1.0 / 3, 0.01);
  }
}

TEST(LandmarkHead, HasNoMoreLandmarksThanItsLimit) {
  Table table;
  make_disc_and_ring(table, 2 * kMostLandmarks + 100, 0);
  table.split(kMostLandmarks, 0);
  const LandmarkHead head = fit_landmarks(table.features, table.problem, kOneWeight);
  EXPECT_EQ(head.landmarks.rows(), kMostLandmarks);
}

TEST(LandmarkHead, AllRowsTeachTheLinksAlsoWhereTheyAreMoreThanTheLandmarks) {
  Table table;
  make_disc_and_ring(table, 3 * kMostLandmarks, 0);
  // The first column is made noise, so that the classes overlap.
  for (int64_t i = 0; i < table.features.rows(); ++i) {
    table.features.dense[i][0] = Rng{.seed = 5}.normal(i);
    if (i % 5 == 0) table.labels[i] = 0;
  }
  table.split(3 * kMostLandmarks, 0);
  for (const LandmarkOptions& options : {kOneWeight, kLinear}) {
    const LandmarkHead head = fit_landmarks(table.features, table.problem, options);
    EXPECT_EQ(head.landmarks.rows(), kMostLandmarks);
    Matrix p = landmark_logits(head, table.features.dense, 1);
    softmax_rows(p);
    double said = 0, true_share = 0;
    for (int64_t i = 0; i < p.rows(); ++i) said += p[i][1], true_share += table.labels[i];
    const auto rows = static_cast<double>(p.rows());
    EXPECT_NEAR(said / rows, true_share / rows, 2e-3) << "logistic regression has the mean right";
  }
}

TEST(LandmarkHead, ARareClassCountsMoreWhereAllCountAlike) {
  // Two overlapping clouds, one of them with few labels.
  Table table;
  test::make_blobs(table, 300, 2, 2, 1);
  table.split(0, 0);
  int64_t rare = 0;
  for (int32_t i = 0; i < 60; ++i) {
    if (table.labels[i] == 1 && ++rare > 6) continue;
    table.problem.train.push_back(i);
  }
  table.reveal();
  const auto share_of_rare = [&](bool alike) {
    table.problem.classes_alike = alike;
    const LandmarkHead head = fit_landmarks(table.features, table.problem, kOneWeight);
    Matrix p = landmark_logits(head, table.features.dense, 1);
    softmax_rows(p);
    double sum = 0;
    for (int64_t i = 0; i < p.rows(); ++i) sum += p[i][1];
    return sum / static_cast<double>(p.rows());
  };
  EXPECT_GT(share_of_rare(true), share_of_rare(false) + 0.1);
}

// Twelve training rows of seven columns: some are sums of others.
TEST(Baseline, SparseRowsGetTheAnswersOfTheSameDenseRows) {
  const test::Toy toy(60, 7, true);
  Features dense = toy.features;
  make_dense(dense);
  const Matrix sparse_said = baseline_answers(toy.problem, toy.features, Context{1});
  const Matrix dense_said = baseline_answers(toy.problem, dense, Context{1});
  ASSERT_EQ(sparse_said.rows(), 15);
  float largest = 0;
  for (int64_t e = 0; e < dense_said.size(); ++e) {
    EXPECT_NEAR(sparse_said.data()[e], dense_said.data()[e], 1e-3);
    largest = std::max(largest, dense_said.data()[e]);
  }
  EXPECT_GT(largest, 0.6f) << "it has learned nothing";
}

// Two columns together say the class, each alone nothing; the others are noise.
void make_chequers(Table& table, int64_t n, int64_t noise_columns) {
  const Rng rng{.seed = 11};
  table.features.dense = Matrix(n, 2 + noise_columns);
  table.labels.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    float* row = table.features.dense[i];
    for (int64_t f = 0; f < 2 + noise_columns; ++f) row[f] = rng.normal(100 * i + f);
    table.labels[i] = (row[0] > 0.3f) != (row[1] > -0.2f);
  }
}

GrownTrees grow(const Table& table, const TreesOptions& options = {}, int threads = 1) {
  return grow_trees(table.features, table.problem, options, {.stream = Stream::kTrees}, threads);
}

Matrix answers(const Trees& trees, const Matrix& x) {
  Matrix p = tree_logits(trees, std::ssize(trees.roots), x);
  softmax_rows(p);
  return p;
}

TEST(Trees, SeeWhatTwoColumnsSayTogether) {
  Table table;
  make_chequers(table, 600, 4);
  table.split(150, 0);
  const GrownTrees grown = grow(table);
  EXPECT_GT(table.hidden_accuracy(answers(grown.trees, table.features.dense)), 0.93);
  for (int64_t f = 2; f < 6; ++f) {
    EXPECT_LT(grown.gain[f], 0.3 * std::min(grown.gain[0], grown.gain[1])) << f;
  }
}

TEST(Trees, LogitsAreTheSumOfTheLeavesThatARowFallsTo) {
  // One cut at 0.5 in column 1; below it another one at -1 in column 0.
  Trees trees;
  trees.roots = {0, 5};
  trees.column = {1, 0, -1, -1, -1, -1};
  trees.threshold = {0.5f, -1.0f, 0, 0, 0, 0};
  trees.next = {1, 3, 0, 1, 2, 3};
  trees.values = test::dense_features({{1, 2}, {3, 4}, {5, 6}, {10, 20}}).dense;
  trees.start = test::dense_features({{100, 200}}).dense;
  const Matrix x = test::dense_features({{-2, 0.5f}, {0, 0}, {0, 0.6f}}).dense;
  const Matrix all = tree_logits(trees, 2, x), first = tree_logits(trees, 1, x, 3);
  const std::vector<std::vector<float>> expected{{103, 204}, {105, 206}, {101, 202}};
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t c = 0; c < 2; ++c) {
      EXPECT_EQ(first[i][c], expected[i][c]);
      EXPECT_EQ(all[i][c], expected[i][c] + (c == 0 ? 10 : 20));
    }
  }
  EXPECT_TRUE(test::same_bits(tree_logits(first_trees(trees, 1), 1, x), first));
}

TEST(Trees, AreTheSameForAnyNumberOfThreads) {
  Table table;
  test::make_blobs(table, 2400, 20, 3, 1);
  table.split(700, 0);
  const TreesOptions few{.count = 8};
  const GrownTrees one = grow(table, few), three = grow(table, few, 3);
  EXPECT_EQ(one.trees.threshold, three.trees.threshold);
  EXPECT_TRUE(test::same_bits(one.trees.values, three.trees.values));
  EXPECT_GT(std::ssize(one.trees.column), 8);
}

TEST(Trees, ColumnsThatSayNothingGiveTheSharesOfTheClasses) {
  Table table;
  test::make_blobs(table, 60, 3, 3, 2);
  table.features.dense.fill(0.0f);
  table.split(10, 0);
  const Matrix p = answers(grow(table).trees, table.features.dense);
  for (int64_t e = 0; e < p.size(); ++e) EXPECT_NEAR(p.data()[e], 1.0 / 3, 0.06);
}

TEST(Trees, LeavesHoldAsManyRowsAsAskedFor) {
  Table table;
  make_chequers(table, 60, 0);
  table.split(20, 0);
  // 0.7 of 40 rows are drawn: none can be cut into two parts of 15.
  EXPECT_EQ(std::ssize(grow(table, {.count = 3, .least = 15}).trees.column), 3);
  EXPECT_GT(std::ssize(grow(table, {.count = 3, .least = 5}).trees.column), 3);
}

TEST(Trees, OfAFileLeadOnlyDownwards) {
  Table table;
  make_chequers(table, 300, 0);
  table.split(100, 0);
  const StateShape shape{.views = {{View::kStandard, {.columns = 2, .is_sparse = false}}},
                         .classes = 2};
  const TreesState good{View::kStandard, grow(table, {.count = 2}).trees};
  good.check("trees", shape);
  const auto refused = [&](auto&& change) {
    TreesState bad = good;
    change(bad.trees);
    EXPECT_THROW(bad.check("trees", shape), Error);
  };
  refused([](Trees& t) { t.next[0] = 0; });  // a node that is its own child would never end
  refused([](Trees& t) { t.next[0] = static_cast<int32_t>(t.next.size()) - 1; });
  refused([](Trees& t) { t.next.back() = static_cast<int32_t>(t.values.rows()); });
  refused([](Trees& t) { t.column[0] = 2; });
  refused([](Trees& t) { t.threshold[0] = NAN; });
  refused([](Trees& t) { t.threshold.pop_back(); });
  refused([](Trees& t) { t.roots[0] = -1; });
  refused([](Trees& t) { t.values = Matrix(t.values.rows(), 3); });
}

}  // namespace
}  // namespace glgnn
