// Approximate neighbours: close to the exact ones, measured as such, and the same for any number of
// threads.
#include <glgnn/error.h>
#include <gtest/gtest.h>

#include "cpu_kernels_util.h"
#include "kernels/hnsw_choose.h"
#include "toy.h"

namespace glgnn {
namespace {

struct Found {
  std::vector<int32_t> col;
  std::vector<int64_t> count;
  bool operator==(const Found&) const = default;
};

Found search(const DenseRows& z, const HopWeights<float>& hops, const ChooseOptions& options,
             bool exact, int threads) {
  Found found{std::vector<int32_t>(z.rows * options.k), std::vector<int64_t>(z.rows)};
  if (exact) {
    cpu::graph_learn_choose(found.col.data(), found.count.data(), nullptr, z.single(), hops,
                            options, threads);
  } else {
    cpu::hnsw_choose(found.col.data(), found.count.data(), z.single(), hops, options, threads);
  }
  return found;
}

double recall(const Found& found, const DenseRows& z, const HopWeights<float>& hops,
              const ChooseOptions& options) {
  return cpu::choice_recall(found.col.data(), found.count.data(), z.single(), hops, options, 300,
                            2);
}

// Found pairs that were also chosen exactly, counted over all rows.
double shared_part(const Found& found, const Found& exact, int64_t k) {
  int64_t shared = 0, all = 0;
  for (size_t i = 0; i < exact.count.size(); ++i) {
    const auto a = found.col.begin() + static_cast<int64_t>(i) * k;
    const auto b = exact.col.begin() + static_cast<int64_t>(i) * k;
    std::vector<int32_t> both;
    std::set_intersection(a, a + found.count[i], b, b + exact.count[i], std::back_inserter(both));
    shared += static_cast<int64_t>(both.size());
    all += exact.count[i];
  }
  return static_cast<double>(shared) / static_cast<double>(all);
}

TEST(Hnsw, FindsNearlyAllOfTheNearestRows) {
  const DenseRows z(2000, 16, 3);
  const ChooseOptions options{.k = 10};
  const Found exact = search(z, {}, options, true, 2), found = search(z, {}, options, false, 2);
  EXPECT_EQ(recall(exact, z, {}, options), 1.0);
  EXPECT_GT(shared_part(found, exact, 10), 0.97);
  EXPECT_NEAR(recall(found, z, {}, options), shared_part(found, exact, 10), 0.02);
}

TEST(Hnsw, SameForAnyNumberOfThreads) {
  const DenseRows small(2000, 16, 3), two_parts(17000, 4, 4);
  const ChooseOptions options{.k = 5};
  for (const DenseRows* z : {&small, &two_parts}) {
    const Found one = search(*z, {}, options, false, 1);
    EXPECT_EQ(one, search(*z, {}, options, false, 2));
    EXPECT_EQ(one, search(*z, {}, options, false, 4));
  }
}

// A near pair may win without being among the most similar ones.
TEST(Hnsw, WeighsAllNearPairs) {
  const DenseRows z(500, 8, 5);
  const Pattern near = random_pattern(500, 500, 0.02, 6);
  const Floats h(near.nnz(), 1e6f);
  const HopWeights<float> hops{.near = near.view(), .h = h.data(), .h_other = 1e-6f};
  const ChooseOptions options{.k = 4};
  const Found exact = search(z, hops, options, true, 1), found = search(z, hops, options, false, 1);
  EXPECT_GT(shared_part(found, exact, 4), 0.97);
  EXPECT_GT(recall(found, z, hops, options), 0.97);
}

TEST(Hnsw, KeepsTheRulesOfTheChoice) {
  const DenseRows z(300, 6, 7);
  const Found without = search(z, {}, {.k = 5}, false, 1);
  const Found with = search(z, {}, {.k = 5, .diagonal = true}, false, 1);
  const Found positive = search(z, {}, {.k = 299, .positive_only = true}, false, 1);
  bool chose_itself = false;
  for (int64_t i = 0; i < 300; ++i) {
    for (int64_t c = 0; c < 5; ++c) {
      EXPECT_NE(without.col[i * 5 + c], i);
      chose_itself = chose_itself || with.col[i * 5 + c] == i;
    }
    EXPECT_LT(positive.count[i], 299);
  }
  EXPECT_TRUE(chose_itself);
}

TEST(Hnsw, TrainsAndReportsItsRecallAtEachRefresh) {
  test::Toy toy(200);
  Config config = test::Toy::config();
  config.mode = Mode::kPaper;
  config.candidates = Candidates::kHnsw;
  config.refresh = 2;
  const Model one = fit(toy.problem, config, Context{1}).model;
  const Model two = fit(toy.problem, config, Context{2}).model;
  ASSERT_EQ(one.history.size(), 6u);
  for (size_t e = 0; e < one.history.size(); ++e) {
    if (e % 2 == 0) {
      EXPECT_GT(one.history[e].recall, 0.9);
    } else {
      EXPECT_EQ(one.history[e].recall, -1);
    }
    EXPECT_EQ(one.history[e].loss, two.history[e].loss);
  }
  config.candidates = Candidates::kExact;
  EXPECT_EQ(fit(toy.problem, config, Context{1}).model.history[0].recall, -1);
}

TEST(Hnsw, RefusesWhatItCannotDo) {
  Config config = test::Toy::config();
  config.mode = Mode::kPaper;
  config.candidates = Candidates::kHnsw;
  test::Toy sparse(60, 7, true);
  EXPECT_THROW(fit(sparse.problem, config, Context{1}), Error);
  test::Toy dense;
  config.rescale = false;
  EXPECT_THROW(fit(dense.problem, config, Context{1}), Error);
  config.softmax_over = SoftmaxOver::kKept;
  EXPECT_NO_THROW(fit(dense.problem, config, Context{1}));
}

}  // namespace
}  // namespace glgnn
