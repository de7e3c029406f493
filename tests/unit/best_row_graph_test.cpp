#include <gtest/gtest.h>

#include <cmath>

#include "best_util.h"
#include "core/rng.h"
#include "modules/module.h"
#include "modules/row_graph.h"
#include "modules/shared_inputs.h"
#include "network/fuse.h"

namespace glgnn {
namespace {

using test::dense_features;
using test::graph_of;
using test::sparse_features;
using test::weight_at;

// Two pairs of rows, the pairs far apart.
Features two_pairs() { return dense_features({{0}, {1}, {10}, {11}}); }

// Lists of the nearest rows, nearest first, can be cut: the graph is that of a search for fewer.
TEST(BestRowGraph, FewerNeighboursAreCutFromMore) {
  test::Table blobs, documents;
  test::make_blobs(blobs, 80, 5, 3, 2);
  test::make_documents(documents, 80, 3, 6);
  for (const Features* view : {&blobs.features, &documents.features}) {
    for (const bool euclidean : {false, true}) {
      const NearestRows ten = rank_nearest(*view, euclidean, 10, Context{1});
      const std::vector<const NearestRows*> votes{&ten};
      for (const int64_t k : {1, 3, 10}) {
        const RowGraphOptions options{.k = k, .euclidean = euclidean};
        const Csr cut = join_votes(votes, nullptr, options, 1);
        const Csr graph = build_row_graph({.views = {view}}, options, Context{1});
        EXPECT_EQ(cut.pattern->col, graph.pattern->col) << k;
        EXPECT_TRUE(test::same_bits(cut.values, graph.values)) << k;
      }
    }
  }
}

RowGraphOptions nearest_one(double self_weight) {
  return {.k = 1, .euclidean = true, .self_weight = self_weight};
}

void expect_symmetric(const Csr& graph) {
  for (int64_t i = 0; i < graph.rows(); ++i) {
    for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
      const int32_t j = graph.pattern->col[e];
      EXPECT_TRUE(std::isfinite(graph.values[e]));
      EXPECT_EQ(graph.values[e], weight_at(graph, j, i)) << i << ", " << j;
      EXPECT_TRUE(e == graph.pattern->row_ptr[i] || graph.pattern->col[e - 1] < j);
    }
  }
}

TEST(BestRowGraph, IsSymmetricToTheBitInEveryForm) {
  test::Table blobs, documents;
  test::make_blobs(blobs, 60, 5, 3, 2);
  test::make_documents(documents, 60, 3, 6);
  test::make_class_graph(blobs);
  const Matrix soft(60, 3, 1.0f / 3);
  const std::vector<float> selection{1, 0.5f, 0.3f, 0.2f, 0.7f};
  for (const Features* view : {&blobs.features, &documents.features}) {
    for (const bool euclidean : {false, true}) {
      for (const bool with_given : {false, true}) {
        for (const double labels : {0.0, 0.7}) {
          const RowGraphOptions options{.k = 4,
                                        .euclidean = euclidean,
                                        .self_weight = 0.3,
                                        .given_weight = 0.37,
                                        .label_weight = labels,
                                        .select = 0.5};
          const RowGraphInputs inputs{.views = {view, view},
                                      .selection = &selection,
                                      .soft_labels = &soft,
                                      .given = with_given ? &blobs.graph : nullptr};
          const Csr graph = build_row_graph(inputs, options, Context{1});
          expect_symmetric(graph);
          for (const int threads : {2, 3}) {
            const Csr again = build_row_graph(inputs, options, Context{threads});
            EXPECT_EQ(again.pattern->col, graph.pattern->col);
            EXPECT_TRUE(test::same_bits(again.values, graph.values));
          }
        }
      }
    }
  }
}

TEST(BestRowGraph, SelfLoopsHaveTheirWeightAndNoMore) {
  const Features x = two_pairs();
  for (const double self : {0.5, 1.0, 3.0}) {
    const Csr graph = build_row_graph({.views = {&x}}, nearest_one(self), Context{1});
    EXPECT_NEAR(weight_at(graph, 0, 1), 1 / (1 + self), 1e-6);
    EXPECT_NEAR(weight_at(graph, 0, 0), self / (1 + self), 1e-6);
    EXPECT_EQ(graph.nnz(), 8);
  }
  const Csr without = build_row_graph({.views = {&x}}, nearest_one(0), Context{1});
  EXPECT_EQ(weight_at(without, 2, 2), 0);
  EXPECT_EQ(weight_at(without, 2, 3), 1);
  EXPECT_EQ(without.nnz(), 4);
}

TEST(BestRowGraph, AVoteOfOneSideCountsHalf) {
  const Features x = dense_features({{0}, {1}, {3}});  // row 2 chooses 1, 1 chooses 0
  const Csr graph = build_row_graph({.views = {&x}}, nearest_one(1), Context{1});
  const double degree0 = 1 + 1, degree1 = 1 + 0.5 + 1, degree2 = 0.5 + 1;
  EXPECT_NEAR(weight_at(graph, 0, 1), 1 / std::sqrt(degree0 * degree1), 1e-6);
  EXPECT_NEAR(weight_at(graph, 2, 1), 0.5 / std::sqrt(degree2 * degree1), 1e-6);
  EXPECT_EQ(weight_at(graph, 0, 2), 0);
}

TEST(BestRowGraph, ViewsVote) {
  const Features one = two_pairs(), other = dense_features({{0}, {10}, {1}, {11}});
  const Csr alike = build_row_graph({.views = {&one, &one}}, nearest_one(1), Context{1});
  EXPECT_NEAR(weight_at(alike, 0, 1), 2.0 / 3, 1e-6);
  const Csr apart = build_row_graph({.views = {&one, &other}}, nearest_one(1), Context{1});
  EXPECT_NEAR(weight_at(apart, 0, 1), 1.0 / 3, 1e-6);
  EXPECT_NEAR(weight_at(apart, 0, 2), 1.0 / 3, 1e-6);
}

TEST(BestRowGraph, ARowWithoutFeaturesIsIsolated) {
  const Features x = sparse_features({{1, 1, 0, 0}, {1, 0, 1, 0}, {0, 0, 0, 0}, {1, 1, 1, 0}});
  const Csr graph = build_row_graph({.views = {&x}}, {.k = 2}, Context{1});
  EXPECT_EQ(graph.pattern->view().row_size(2), 1);
  EXPECT_EQ(weight_at(graph, 2, 2), 1);
  const Csr without = build_row_graph({.views = {&x}}, {.k = 2, .self_weight = 0}, Context{1});
  EXPECT_EQ(without.pattern->view().row_size(2), 0);
  expect_symmetric(without);
}

TEST(BestRowGraph, TheGivenGraphIsJoinedByItsSum) {
  const Features x = two_pairs();
  for (const float weight : {1.0f, 3.0f}) {
    const Csr given = graph_of(4, {{0, 2}, {1, 3}}, weight);
    RowGraphOptions options = nearest_one(0);
    options.given_weight = 0.5;
    const Csr joined = build_row_graph({.views = {&x}, .given = &given}, options, Context{1});
    EXPECT_NEAR(weight_at(joined, 0, 1), 0.5 / 1.5, 1e-6);
    EXPECT_NEAR(weight_at(joined, 0, 2), 1 / 1.5, 1e-6);
    options.given_weight = 0;
    const Csr alone = build_row_graph({.views = {&x}, .given = &given}, options, Context{1});
    EXPECT_NEAR(weight_at(alone, 0, 2), 1, 1e-6);
    EXPECT_EQ(alone.nnz(), 4) << "learned edges without weight are no edges";
  }
}

TEST(BestRowGraph, AGivenGraphWithoutEdgesDoesNoHarm) {
  const Features x = two_pairs();
  const Csr given = graph_of(4, {});
  for (const double weight : {0.0, 0.5}) {
    RowGraphOptions options = nearest_one(1);
    options.given_weight = weight;
    const Csr graph = build_row_graph({.views = {&x}, .given = &given}, options, Context{1});
    EXPECT_NEAR(weight_at(graph, 0, 1), 0.5, 1e-6);
  }
}

// A graph may know few of the rows. Those that it does not know keep what they learned.
TEST(BestRowGraph, RowsWithoutGivenEdgesKeepTheirLearnedOnes) {
  const Features x = dense_features({{0}, {1}, {3}, {10}, {11}, {13}});
  const Csr given = graph_of(6, {{0, 1}}, 1.0f);
  for (const double weight : {0.0, 0.25}) {
    RowGraphOptions options = nearest_one(1);
    options.given_weight = weight;
    const Csr learned = build_row_graph({.views = {&x}}, options, Context{1});
    const Csr joined = build_row_graph({.views = {&x}, .given = &given}, options, Context{1});
    for (const auto& [i, j] : std::vector<std::pair<int, int>>{{3, 4}, {4, 5}, {5, 5}}) {
      EXPECT_EQ(weight_at(joined, i, j), weight_at(learned, i, j)) << i << ", " << j;
    }
    // 0 and 1 are given and learned, 2 chose 1. The learned edges of 0 and 1 sum to 2.5.
    const double scale = weight * 2 / 2.5, between = 0.5 * std::sqrt(scale);
    const double degree0 = 1 + 1 + scale, degree1 = degree0 + between;
    EXPECT_NEAR(weight_at(joined, 0, 1), (1 + scale) / std::sqrt(degree0 * degree1), 1e-6);
    EXPECT_NEAR(weight_at(joined, 1, 2), between / std::sqrt(degree1 * (1 + between)), 1e-6);
    expect_symmetric(joined);
  }
}

// The part of all edges that join rows of one class.
double part_within_classes(const Csr& graph, const std::vector<int32_t>& labels) {
  double within = 0, all = 0;
  for (int64_t i = 0; i < graph.rows(); ++i) {
    for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
      const int32_t j = graph.pattern->col[e];
      if (j == i) continue;
      all += 1;
      within += labels[i] == labels[j];
    }
  }
  return within / all;
}

TEST(BestRowGraph, SoftLabelsPullRowsOfAClassTogether) {
  test::Table blobs, documents;
  test::make_blobs(blobs, 90, 4, 3, 0);
  test::make_documents(documents, 90, 3, 5, 0.1f);
  for (const test::Table* table : {&blobs, &documents}) {
    Matrix soft(90, 3);
    for (int64_t i = 0; i < 90; ++i) soft[i][table->labels[i]] = 1;
    for (const bool euclidean : {false, true}) {
      const auto within = [&](double weight) {
        const RowGraphOptions options{.k = 3, .euclidean = euclidean, .label_weight = weight};
        return part_within_classes(
            build_row_graph({.views = {&table->features}, .soft_labels = &soft}, options,
                            Context{1}),
            table->labels);
      };
      EXPECT_LT(within(0), 0.6);
      EXPECT_GT(within(0.7), within(0));
      EXPECT_GT(within(3), 0.97);
    }
  }
}

TEST(BestRowGraph, SelectionLeavesOutColumns) {
  const Features x = dense_features({{0, 100}, {1, -100}, {10, 99}, {11, -99}});
  const std::vector<float> selection{1, 0};
  RowGraphOptions options = nearest_one(1);
  const RowGraphInputs inputs{.views = {&x}, .selection = &selection};
  EXPECT_GT(weight_at(build_row_graph(inputs, options, Context{1}), 0, 2), 0);
  options.select = 1;
  const Csr selected = build_row_graph(inputs, options, Context{1});
  EXPECT_EQ(weight_at(selected, 0, 2), 0);
  EXPECT_GT(weight_at(selected, 0, 1), 0);
}

// Five kinds of rows, ten copies of each: without a limit the nearest five of a row would be its
// copies, and the graph would fall apart.
TEST(BestRowGraph, CopiesOfARowLeaveRoomForOthers) {
  std::vector<std::vector<float>> rows;
  for (int i = 0; i < 50; ++i) rows.push_back({static_cast<float>(i % 5), 1.0f});
  const Features copies = dense_features(rows);
  for (const bool euclidean : {false, true}) {
    const NearestRows found = rank_nearest(copies, euclidean, 5, Context{1});
    for (int64_t i = 0; i < 50; ++i) {
      ASSERT_EQ(found.count[i], 5);
      for (int64_t c = 0; c < 5; ++c) {
        const int32_t j = found.col[i * found.wide + c];
        EXPECT_NE(i, j);
        EXPECT_EQ(c % 2 == 0, (i - j) % 5 == 0) << i << ", " << j;
      }
    }
    // The two nearest other kinds of the third kind, by distance: the second and the fourth.
    if (euclidean) {
      EXPECT_EQ(found.col[2 * found.wide + 1], 1);
      EXPECT_EQ(found.col[2 * found.wide + 3], 3);
    }
    const RowGraphOptions options{.k = 4, .euclidean = euclidean};
    const Csr graph = build_row_graph({.views = {&copies}}, options, Context{1});
    expect_symmetric(graph);
    const std::vector<const NearestRows*> votes{&found};
    EXPECT_EQ(graph.pattern->col, join_votes(votes, nullptr, options, 1).pattern->col);
    std::vector<int32_t> reached{0};
    std::vector<bool> seen(50, false);
    seen[0] = true;
    for (size_t r = 0; r < reached.size(); ++r) {
      for (int64_t e = graph.pattern->row_ptr[reached[r]];
           e < graph.pattern->row_ptr[reached[r] + 1]; ++e) {
        const int32_t j = graph.pattern->col[e];
        if (!seen[j]) reached.push_back(j);
        seen[j] = true;
      }
    }
    EXPECT_EQ(reached.size(), 50u) << "a label of one row does not reach all others";
  }
}

// All rows the same: they are all the neighbours there are. Zeros of both signs are one number.
TEST(BestRowGraph, RowsThatAreAllTheSameAreNeighbours) {
  const Features same = dense_features({{0.0f}, {-0.0f}, {0.0f}, {0.0f}});
  const NearestRows found = rank_nearest(same, true, 3, Context{1});
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(found.count[i], 3);
}

TEST(BestRowGraph, MoreNeighboursThanRowsAreAllOthers) {
  const Features x = dense_features({{0, 1}, {1, 1}, {2, 1}});
  for (const bool euclidean : {false, true}) {
    const Csr graph =
        build_row_graph({.views = {&x}}, {.k = 9, .euclidean = euclidean}, Context{1});
    EXPECT_EQ(graph.nnz(), 9);
    EXPECT_NEAR(weight_at(graph, 0, 2), 1.0 / 3, 1e-6);
  }
}

// Five random edges a row, each both ways: within a class, or between any two rows.
Csr random_edges(const test::Table& table, bool within_classes, uint32_t owner) {
  const int64_t n = table.features.rows();
  const Rng rng{7, Stream::kNoiseEdges, owner, 0};
  Matrix marks(n, n);
  uint64_t index = 0;
  for (int64_t drawn = 0; drawn < 5 * n;) {
    const auto i = static_cast<int64_t>(rng.uniform(index++) * static_cast<float>(n));
    const auto j = static_cast<int64_t>(rng.uniform(index++) * static_cast<float>(n));
    if (i == j || (within_classes && table.labels[i] != table.labels[j])) continue;
    marks[i][j] = marks[j][i] = 1;
    ++drawn;
  }
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = n;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      if (marks[i][j] > 0) pattern->col.push_back(static_cast<int32_t>(j));
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  const auto count = static_cast<size_t>(pattern->nnz());
  return {std::move(pattern), std::vector<float>(count, 1.0f)};
}

// How many edges of `graph` are still in `kept`.
double part_kept(const Csr& graph, const Csr& kept) {
  double count = 0;
  for (int64_t i = 0; i < graph.rows(); ++i) {
    for (int64_t e = graph.pattern->row_ptr[i]; e < graph.pattern->row_ptr[i + 1]; ++e) {
      count += weight_at(kept, i, graph.pattern->col[e]) > 0;
    }
  }
  return count / static_cast<double>(graph.nnz());
}

class EdgeTrust : public testing::Test {
 protected:
  EdgeTrust() { test::make_blobs(table_, 300, 6, 3, 2); }
  test::Table table_;
};

TEST_F(EdgeTrust, RandomEdgesAreLeftOutAndTrueOnesStay) {
  const Csr right = random_edges(table_, true, 2), wrong = random_edges(table_, false, 3);
  const auto [kept, random_part] =
      trusted_edges(weighted_union({&right, &wrong}, {1, 1}), table_.features.dense, 1);
  expect_symmetric(kept);
  EXPECT_NEAR(random_part, 0.5, 0.15);
  EXPECT_GT(part_kept(right, kept), 0.8);
  EXPECT_LT(part_kept(wrong, kept), 0.5);  // a third of them join rows of one class
}

TEST_F(EdgeTrust, AGraphWithoutFaultsStays) {
  const Csr right = random_edges(table_, true, 2);
  const auto [kept, random_part] = trusted_edges(right, table_.features.dense, 1);
  EXPECT_LT(random_part, 0.05);
  EXPECT_GT(part_kept(right, kept), 0.95);
}

TEST_F(EdgeTrust, AGraphThatIsAllChanceGoes) {
  const Csr wrong = random_edges(table_, false, 3);
  const auto [kept, random_part] = trusted_edges(wrong, table_.features.dense, 1);
  EXPECT_GT(random_part, 0.8);
  EXPECT_LT(part_kept(wrong, kept), 0.05);
}

TEST_F(EdgeTrust, HasTheSameBitsForAnyNumberOfThreads) {
  const Csr right = random_edges(table_, true, 2), wrong = random_edges(table_, false, 3);
  const Csr both = weighted_union({&right, &wrong}, {1, 0.5f});
  const Csr one = trusted_edges(both, table_.features.dense, 1).graph;
  const Csr three = trusted_edges(both, table_.features.dense, 3).graph;
  EXPECT_EQ(one.pattern->col, three.pattern->col);
  EXPECT_TRUE(test::same_bits(one.values, three.values));
}

TEST_F(EdgeTrust, TakesGraphsWithoutEdgesAndRowsWithoutNumbers) {
  Csr none = random_edges(table_, true, 2);
  auto empty = std::make_shared<Pattern>();
  empty->rows = empty->cols = 300;
  empty->row_ptr.assign(301, 0);
  EXPECT_EQ(trusted_edges({empty, {}}, table_.features.dense, 1).graph.nnz(), 0);
  EXPECT_EQ(trusted_edges(none, Matrix(300, 2), 1).graph.nnz(), 0);  // nothing tells them apart
}

TEST_F(EdgeTrust, ModulesThatBelieveEverythingMustBeClearlyBetterWhereEdgesLookRandom) {
  const Csr right = random_edges(table_, true, 2), wrong = random_edges(table_, false, 3);
  ModuleSpec believes, doubts;
  believes.graph.given_edges = GivenEdges::kAllDespiteDoubts;
  doubts.graph.given_edges = GivenEdges::kTrusted;
  const Context one_thread{.threads = 1};
  SharedInputs clean(table_.features, &right, one_thread),
      noisy(table_.features, &wrong, one_thread);
  EXPECT_EQ(handicap_of(believes, false, clean, one_thread), 0);
  EXPECT_EQ(handicap_of(doubts, false, noisy, one_thread), 0);
  EXPECT_EQ(handicap_of({}, false, noisy, one_thread), 0);
  EXPECT_EQ(handicap_of(believes, false, noisy, one_thread), 1);
  EXPECT_EQ(handicap_of(believes, true, noisy, one_thread), 1 + kGainOfChoosing);
  EXPECT_EQ(clean.given_graph(GivenEdges::kTrusted, one_thread), &right);
  EXPECT_LT(noisy.given_graph(GivenEdges::kTrusted, one_thread)->nnz(), wrong.nnz() / 2);
}

}  // namespace
}  // namespace glgnn
