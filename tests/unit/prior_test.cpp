// The network that has learned from drawn tables, and its kind of module.
#include "modules/prior.h"

#include <glgnn/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "best_util.h"
#include "data/npz.h"
#include "train/pool.h"

namespace glgnn {
namespace {

struct Golden {
  Matrix cells, logits;
  std::vector<int32_t> classes;

  explicit Golden(const std::string& name) {
    const Npz file(GLGNN_TEST_DIR "/golden/prior.npz");
    cells = matrix(file, name + "_cells");
    logits = matrix(file, name + "_logits");
    for (const int64_t c : to_integers(file.read(name + "_classes"))) {
      classes.push_back(static_cast<int32_t>(c));
    }
  }
  static Matrix matrix(const Npz& file, const std::string& name) {
    const NpyArray array = file.read(name);
    const std::vector<float> numbers = to_floats(array);
    Matrix out(array.shape[0], array.shape[1]);
    std::copy(numbers.begin(), numbers.end(), out.data());
    return out;
  }
  Matrix labelled() const { return part(0, std::ssize(classes)); }
  Matrix asked() const { return part(std::ssize(classes), cells.rows()); }
  Matrix part(int64_t first, int64_t last) const {
    Matrix out(last - first, cells.cols());
    std::copy_n(cells[first], out.size(), out.data());
    return out;
  }
};

class PriorNetworkSays : public testing::TestWithParam<std::string> {};

// PyTorch in double precision (tests/golden/make_prior.py) says the same.
TEST_P(PriorNetworkSays, WhatPyTorchSays) {
  const Golden golden(GetParam());
  const PriorTable table = read_labelled(golden.labelled(), golden.classes, 1);
  const Matrix said = prior_logits(table, golden.asked(), 1);
  ASSERT_EQ(said.rows(), golden.logits.rows());
  ASSERT_EQ(said.cols(), golden.logits.cols());
  for (int64_t e = 0; e < said.size(); ++e) {
    EXPECT_NEAR(said.data()[e], golden.logits.data()[e], 2e-4) << e;
  }
}

TEST_P(PriorNetworkSays, TheSameBitsOfARowAlone) {
  const Golden golden(GetParam());
  const PriorTable table = read_labelled(golden.labelled(), golden.classes, 1);
  const Matrix said = prior_logits(table, golden.asked(), 1);
  for (int64_t i = 0; i < said.rows(); ++i) {
    const int64_t row = std::ssize(golden.classes) + i;
    const Matrix alone = prior_logits(table, golden.part(row, row + 1), 1);
    EXPECT_TRUE(std::equal(alone.data(), alone.data() + alone.size(), said[i])) << i;
  }
}

TEST_P(PriorNetworkSays, TheSameBitsForAnyNumberOfThreads) {
  const Golden golden(GetParam());
  const auto run = [&](int threads) {
    const PriorTable table = read_labelled(golden.labelled(), golden.classes, threads);
    return prior_logits(table, golden.asked(), threads);
  };
  const Matrix one = run(1);
  for (const int threads : {2, 3}) {
    const Matrix more = run(threads);
    EXPECT_TRUE(std::equal(one.data(), one.data() + one.size(), more.data())) << threads;
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, PriorNetworkSays, testing::Values("few", "more"));

// A number with gaps, a category of three levels, and a number; two rows of each level.
Features mixed_features() {
  Features x;
  x.dense = Matrix(6, 6);
  for (int64_t i = 0; i < 6; ++i) {
    x.dense[i][0] = static_cast<float>(i);
    x.dense[i][1] = i == 4 ? 1.0f : 0.0f;  // is missing
    x.dense[i][2 + i % 3] = 1;
    x.dense[i][5] = static_cast<float>(10 - i);
  }
  x.indicators = {{1, 1}, {2, 3}};
  return x;
}

std::vector<ModuleResult> run_prior(const Features& x, bool classes_alike = false) {
  Problem problem;
  problem.features = &x;
  problem.labels = {0, 1, 0, 1, -1, -1};
  problem.train = {0, 1, 2, 3};
  problem.classes = 3;  // nobody has the third
  problem.classes_alike = classes_alike;
  ModuleSpec spec;
  spec.views = {View::kStandard};
  spec.input = View::kStandard;
  spec.graph = {.k = 2, .euclidean = true};
  spec.kind = PriorOptions{};
  const Context context;
  SharedInputs shared(x, nullptr, context);
  return run_stages(spec, problem, shared, context);
}

TEST(PriorModule, ReadsNumbersGapsAndLevels) {
  const Features x = mixed_features();
  const auto stages = run_prior(x);
  ASSERT_EQ(stages.size(), 2u);  // alone, and propagated
  const auto& state = std::get<PriorState>(stages[0].stage.state);
  ASSERT_EQ(state.columns.size(), 3u);
  EXPECT_EQ(state.columns[0].gap, 1);
  EXPECT_EQ(state.columns[1].levels, 3);
  EXPECT_EQ(state.columns[2].levels, 0);
  Views views(x, Context{});
  const Matrix cells = state.cells(views.get(View::kStandard).dense, views.get(View::kRank).dense);
  constexpr int64_t kCell = PriorNetwork::kCell;
  ASSERT_EQ(cells.cols(), 3 * kCell);
  EXPECT_GT(cells[5][0], cells[0][0]);  // numbers keep their order
  EXPECT_EQ(cells[4][0], 0);            // a gap has no number
  EXPECT_EQ(cells[4][2], 1);
  EXPECT_EQ(cells[0][2], 0);
  for (int64_t c = 0; c < kCell; ++c) {  // rows 0 and 3 have one level
    EXPECT_EQ(cells[0][kCell + c], cells[3][kCell + c]);
  }
  EXPECT_NE(cells[0][kCell + 4], cells[1][kCell + 4]);
  EXPECT_EQ(cells[0][kCell + 3], 1);
  EXPECT_EQ(cells[0][2 * kCell + 3], 0);
}

TEST(PriorModule, NeverNamesAClassThatNoLabelHas) {
  const Features x = mixed_features();
  for (const ModuleResult& stage : run_prior(x)) {
    for (int64_t i = 0; i < 6; ++i) EXPECT_LT(stage.stage.p[i][2], 1e-3) << i;
  }
}

TEST(PriorModule, AStateThatDoesNotFitIsRefused) {
  const Features x = mixed_features();
  const auto stages = run_prior(x);
  const auto& good = std::get<PriorState>(stages[0].stage.state);
  StateShape shape;
  shape.views = {{View::kStandard, {6, false}}, {View::kRank, {6, false}}};
  shape.classes = 3;
  good.check("prior", shape);
  const auto refused = [&](auto&& change) {
    PriorState bad = good;
    change(bad);
    EXPECT_THROW(bad.check("prior", shape), Error);
  };
  refused([](PriorState& s) { s.labels[0] = 3; });
  refused([](PriorState& s) { s.labels.clear(); });
  refused([](PriorState& s) { s.order[1] = -1; });
  refused([](PriorState& s) { s.columns[1].first = 4; });
  refused([](PriorState& s) { s.columns[1].levels = 2'000'000'000; });
  refused([](PriorState& s) { s.columns[0].gap = 6; });
  refused([](PriorState& s) { s.codes = Matrix(); });
  refused([](PriorState& s) { s.offset[0][0] = std::nanf(""); });
  refused([](PriorState& s) { s.numbers = Matrix(3, 6); });
}

TEST(PriorModule, IsTriedWhereLabelsAreFew) {
  const auto tried = [](DataKind kind, bool wanted = true) {
    kind.columns = kind.origins;
    Config config;
    config.prior_heads = wanted;
    return std::ranges::count(module_pool(kind, config), std::string("prior"), kind_name);
  };
  const DataKind kind{.rows = 500, .labels = 50, .origins = 10, .classes = 3};
  EXPECT_EQ(tried(kind), 1);
  EXPECT_EQ(tried(kind, false), 0);
  const auto changed = [&](auto&& change) {
    DataKind other = kind;
    change(other);
    return tried(other);
  };
  EXPECT_EQ(changed([](DataKind& k) { k.labels = 60; }), 0);
  EXPECT_EQ(changed([](DataKind& k) { k.val_is_given = true; }), 0);
  EXPECT_EQ(changed([](DataKind& k) { k.has_graph = true; }), 0);
  EXPECT_EQ(changed([](DataKind& k) { k.classes = 11; }), 0);
  EXPECT_EQ(changed([](DataKind& k) { k.origins = 65; }), 0);
  EXPECT_EQ(changed([](DataKind& k) { k.rows = 20'000; }), 0);
}

}  // namespace
}  // namespace glgnn
