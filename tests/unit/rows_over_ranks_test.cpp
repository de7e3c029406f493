// Rows that are owned by ranks: the ranks are threads here, letters go through memory.
#include "train/rows_over_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "core/rng.h"
#include "kernels/graph_learn.h"
#include "kernels/nearest_rows.h"
#include "kernels/propagate.h"
#include "modules/row_graph.h"
#include "train/edges_over_ranks.h"
#include "train/trainers.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

struct Post {
  std::mutex mutex;
  std::map<std::tuple<int, int, Mail>, std::deque<std::string>> letters;  // from, to, kind
};

class Sent final : public Sending {
 public:
  bool done() override { return true; }
};

class ThreadRank final : public Ranks {
 public:
  ThreadRank(Post& post, int self, int count) : post_(post), self_(self), count_(count) {}
  int self() const override { return self_; }
  int count() const override { return count_; }
  std::unique_ptr<Sending> start(int to, Mail kind, std::string bytes) override {
    const std::scoped_lock lock(post_.mutex);
    post_.letters[{self_, to, kind}].push_back(std::move(bytes));
    return std::make_unique<Sent>();
  }
  std::optional<std::string> poll(int from, Mail kind) override {
    const std::scoped_lock lock(post_.mutex);
    auto& box = post_.letters[{from, self_, kind}];
    if (box.empty()) return std::nullopt;
    std::string bytes = std::move(box.front());
    box.pop_front();
    return bytes;
  }

 private:
  Post& post_;
  int self_, count_;
};

template <class Work>
void on_ranks(int count, const Work& work) {
  Post post;
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadRank self(post, rank, count);
      work(self);
    });
  }
}

Matrix random_rows(int64_t rows, int64_t cols, bool whole) {
  const Rng rng{.seed = 7, .stream = Stream::kInit, .owner = 0};
  Matrix z(rows, cols);
  for (int64_t e = 0; e < z.size(); ++e) {
    const float value = rng.normal(static_cast<uint64_t>(e));
    z.data()[e] = whole ? std::round(value) : 0.3f * value;
  }
  return z;
}

MatView<const float> part_of(const Matrix& z, const RowRange& rows) {
  return {z[rows.begin], rows.size(), z.cols()};
}

// The neighbours of all rows, each row ascending as one process gives them.
std::vector<int32_t> all_neighbours(const Matrix& z, const ApartOptions& options, int ranks,
                                    std::vector<float>* lse = nullptr) {
  const int64_t wide = std::min(options.k, z.rows() - 1);
  std::vector<int32_t> all(static_cast<size_t>(z.rows() * wide), -1);
  if (lse) lse->resize(static_cast<size_t>(z.rows()));
  on_ranks(ranks, [&](Ranks& self) {
    const RowRange rows = rows_of_rank(z.rows(), self.count(), self.self());
    OwnNeighbours own = choose_over_ranks(part_of(z, rows), options, 1, self);
    for (int64_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(own.count[i], wide);
      EXPECT_TRUE(std::is_sorted(own.t.rbegin() + (rows.size() - 1 - i) * wide,
                                 own.t.rbegin() + (rows.size() - i) * wide));
      std::sort(own.col.begin() + i * wide, own.col.begin() + (i + 1) * wide);
    }
    std::copy(own.col.begin(), own.col.end(), all.begin() + rows.begin * wide);
    if (lse) std::copy(own.lse.begin(), own.lse.end(), lse->begin() + rows.begin);
  });
  return all;
}

// Whole numbers have ties; 9000 rows of two ranks travel in pieces; 5 rows leave ranks without any.
struct Size {
  int64_t rows, cols, k;
};
constexpr Size kSizes[] = {{5, 3, 2}, {49, 3, 60}, {700, 20, 7}, {1500, 100, 10}, {9600, 4, 3}};

TEST(RowsOverRanks, NeighboursAreThoseOfOneProcess) {
  for (const Size& size : kSizes) {
    for (const bool whole : {false, true}) {
      const Matrix z = random_rows(size.rows, size.cols, whole);
      const int64_t wide = std::min(size.k, size.rows - 1);
      std::vector<int32_t> near(static_cast<size_t>(size.rows * wide)), like(near.size());
      std::vector<int64_t> count(static_cast<size_t>(size.rows));
      cpu::nearest_rows(near.data(), z.view(), size.k, 1);
      cpu::graph_learn_choose(like.data(), count.data(), nullptr, ZDense<float>{z.view()}, {},
                              {.k = wide}, 1);
      for (const int ranks : {1, 2, 3, 4, 7}) {
        SCOPED_TRACE(testing::Message() << size.rows << " rows, " << ranks << " ranks");
        ApartOptions options{.k = size.k, .all_rows = size.rows, .by_distance = true};
        EXPECT_EQ(all_neighbours(z, options, ranks), near);
        options.by_distance = false;
        EXPECT_EQ(all_neighbours(z, options, ranks), like);
      }
    }
  }
}

TEST(RowsOverRanks, LogSumExpAndItsGradient) {
  const Matrix z = random_rows(1000, 12, false);
  const int64_t n = z.rows();
  std::vector<int32_t> col(static_cast<size_t>(4 * n));
  std::vector<int64_t> count(static_cast<size_t>(n));
  std::vector<float> lse(static_cast<size_t>(n)), d_lse(lse.size());
  for (int64_t i = 0; i < n; ++i) d_lse[i] = static_cast<float>(i % 7 - 3);
  cpu::graph_learn_choose(col.data(), count.data(), lse.data(), ZDense<float>{z.view()}, {},
                          {.k = 4}, 1);
  Matrix d_z(n, z.cols());
  cpu::graph_learn_lse_backward(d_z.view(), d_lse.data(), ZDense<float>{z.view()}, lse.data(),
                                false, 1);
  const ApartOptions options{.k = 4, .all_rows = n, .wants_lse = true};
  for (const int ranks : {1, 2, 3, 4}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks");
    std::vector<float> apart, again;
    EXPECT_EQ(all_neighbours(z, options, ranks, &apart), col);
    all_neighbours(z, options, ranks, &again);
    EXPECT_EQ(apart, again);
    Matrix d_apart(n, z.cols());
    on_ranks(ranks, [&](Ranks& self) {
      const RowRange rows = rows_of_rank(n, self.count(), self.self());
      lse_backward_over_ranks({d_apart[rows.begin], rows.size(), z.cols()},
                              d_lse.data() + rows.begin, part_of(z, rows),
                              apart.data() + rows.begin, n, 1, self);
    });
    for (int64_t i = 0; i < n; ++i) {
      ASSERT_NEAR(apart[i], lse[i], 1e-6f * std::abs(lse[i]));
      for (int64_t f = 0; f < z.cols(); ++f) ASSERT_NEAR(d_apart[i][f], d_z[i][f], 2e-5f);
    }
  }
}

TEST(Ranks, EachTakesTheGpuOfItsNumber) {
  EXPECT_EQ(gpu_of_rank("", 4, 2), "2");
  EXPECT_EQ(gpu_of_rank("", 2, 3), "1");  // more ranks than GPUs
  EXPECT_EQ(gpu_of_rank("5,GPU-7", 8, 1), "GPU-7");
  EXPECT_EQ(gpu_of_rank("", 0, 1), "");
}

// Every rank sends its rows half of the way round; where two are opposite, one sends half of them
// (of 240 rows 144: whole panels).
TEST(RowsOverRanks, RowsTravelOnce) {
  const Matrix z = random_rows(960, 8, false);
  const ApartOptions options{.k = 5, .all_rows = z.rows(), .by_distance = true};
  for (const auto& [ranks, sent] :
       {std::pair(2, 480 + 240), std::pair(3, 960), std::pair(4, 960 + 2 * (240 + 144))}) {
    std::vector<int64_t> bytes(static_cast<size_t>(ranks));
    on_ranks(ranks, [&](Ranks& self) {
      const RowRange rows = rows_of_rank(z.rows(), self.count(), self.self());
      bytes[self.self()] =
          choose_over_ranks(part_of(z, rows), options, 1, self).costs.bytes_of_rows;
    });
    int64_t all = 0;
    for (const int64_t own : bytes) all += own;
    const int64_t of_row = 4 * (z.cols() + 1);  // and what it has found at home
    EXPECT_EQ(all, sent * of_row) << ranks << " ranks";
  }
}

// The graph of own rows is a part of the whole one, and labels spread over it as in one process.
TEST(RowsOverRanks, GraphAndPropagationHaveTheBitsOfOneProcess) {
  constexpr int64_t kSteps = 9;
  constexpr float kAlpha = 0.05f;
  Features x;
  x.dense = random_rows(400, 6, true);
  const int64_t n = x.rows();
  Matrix h(n, 3);
  for (int64_t i = 0; i < n; i += 5) h[i][i % 3] = 1;
  const Csr whole =
      build_row_graph({.views = {&x}}, {.k = 5, .euclidean = true}, Context{.threads = 1});
  Matrix z(n, 3);
  cpu::propagate(z.view(), whole.pattern->view(), whole.values.data(), h.view(), kSteps, kAlpha, 1);
  const ApartOptions options{.k = 5, .all_rows = n, .by_distance = true};
  for (const int ranks : {1, 2, 3, 4}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks");
    on_ranks(ranks, [&](Ranks& self) {
      const RowRange rows = rows_of_rank(n, self.count(), self.self());
      GraphOverRanks graph(choose_over_ranks(part_of(x.dense, rows), options, 1, self), n, self);
      const int64_t begin = whole.pattern->row_ptr[rows.begin];
      const std::vector<float> values(whole.values.begin() + begin,
                                      whole.values.begin() + whole.pattern->row_ptr[rows.end]);
      EXPECT_EQ(graph.own().values, values);
      Matrix own(rows.size(), 3);
      std::copy_n(h[rows.begin], own.size(), own.data());
      const Matrix spread = graph.propagate(own, kSteps, kAlpha, 1);
      EXPECT_TRUE(
          std::equal(spread.data(), spread.data() + spread.size(), std::as_const(z)[rows.begin]));
    });
  }
}

// The two hops of a symmetric graph of which a rank knows its rows and their neighbours.
TEST(RowsOverRanks, NeighboursUnderHopsAreThoseOfOneProcess) {
  const Matrix z = random_rows(700, 6, true);
  const int64_t n = z.rows(), k = 7;
  const std::vector<float> weights{1.3f, 0.8f, 0.1f};
  const ApartOptions plain{.k = k, .all_rows = n, .by_distance = true};
  std::vector<int32_t> expected;
  for (const int ranks : {1, 2, 3, 4, 7}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks");
    std::vector<int32_t> chosen(static_cast<size_t>(n * k));
    on_ranks(ranks, [&](Ranks& self) {
      const RowRange rows = rows_of_rank(n, self.count(), self.self());
      const auto edges = std::make_shared<EdgesOverRanks>(
          choose_over_ranks(part_of(z, rows), plain, 1, self), n, self);
      Tape tape({}, false);
      const Matrix ones(edges->all()->nnz(), 1, 1.0f);
      const NormalisedEdges graph = symmetric_norm(tape, edges, Tape::constant(ones));
      const HopShells shells(rows_near_own(graph, self), 2, ranks == 1);
      if (ranks == 1) {
        EXPECT_TRUE(shells.is_symmetric());
        std::vector<int64_t> count(static_cast<size_t>(n));
        expected.resize(static_cast<size_t>(n * k));
        HopWeights<float> whole;
        whole.shells = &shells;
        whole.h_of_shell = weights.data();
        cpu::graph_learn_choose(expected.data(), count.data(), nullptr, ZDense<float>{z.view()},
                                whole, {.k = k}, 1);
      }
      ApartOptions options{.k = k, .all_rows = n};
      options.hops.shells = &shells;
      options.hops.h_of_shell = weights.data();
      OwnNeighbours own = choose_over_ranks(part_of(z, rows), options, 1, self);
      for (int64_t i = 0; i < rows.size(); ++i) {
        std::sort(own.col.begin() + i * k, own.col.begin() + (i + 1) * k);
      }
      std::copy(own.col.begin(), own.col.end(), chosen.begin() + rows.begin * k);
    });
    EXPECT_EQ(chosen, expected);
  }
}

// Three clouds whose labelled rows lie all over the ranks.
struct Clouds {
  explicit Clouds(int64_t rows) {
    const Rng rng{.seed = 3, .stream = Stream::kInit, .owner = 0};
    features.dense = Matrix(rows, 9);
    problem.features = &features;
    problem.classes = 3;
    problem.labels.assign(static_cast<size_t>(rows), -1);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t f = 0; f < 9; ++f) {
        features.dense[i][f] = (f % 3 == i % 3 ? 0.5f : 0.0f) + 0.3f * rng.normal(9 * i + f);
      }
      if (i % 5 != 1 && i % 7 != 2) continue;
      problem.labels[i] = static_cast<int32_t>(i % 3);
      (i % 5 == 1 ? problem.train : problem.val).push_back(static_cast<int32_t>(i));
    }
    config.mode = Mode::kPaper;
    config.k = 6;
    config.hidden = 8;
  }
  // Pairs of rows within a class, and some others.
  void give_graph(GivenGraph how) {
    config.given_graph = how;
    auto pattern = std::make_shared<Pattern>();
    const auto rows = static_cast<int32_t>(features.rows());
    pattern->rows = pattern->cols = rows;
    for (int32_t i = 0; i < rows; ++i) {
      std::vector<int32_t> near;
      for (const int32_t step : {3, 9, 51, 100}) {
        for (const int32_t j : {i - step, i + step}) {
          if (j >= 0 && j < rows && (step != 100 || std::min(i, j) % 4 == 0)) near.push_back(j);
        }
      }
      std::sort(near.begin(), near.end());
      pattern->col.insert(pattern->col.end(), near.begin(), near.end());
      pattern->row_ptr.push_back(pattern->nnz());
    }
    graph.values.assign(pattern->col.size(), 1.0f);
    graph.pattern = std::move(pattern);
    problem.graph = &graph;
  }

  Features features;
  Csr graph;
  Problem problem;
  Config config;
};

OwnResult fit_clouds(const Clouds& clouds, int ranks, const FitOptions& options = {}) {
  OwnResult all;
  all.probabilities = Matrix(clouds.features.rows(), 3);
  on_ranks(ranks, [&](Ranks& self) {
    const RowRange rows = rows_of_rank(clouds.features.rows(), self.count(), self.self());
    Features own;
    own.dense = Matrix(rows.size(), clouds.features.cols());
    std::copy_n(clouds.features.dense[rows.begin], own.dense.size(), own.dense.data());
    Problem problem = clouds.problem;
    problem.features = &own;
    Csr near;
    if (problem.graph) {
      near = near_rows(*problem.graph, rows);
      problem.graph = &near;
    }
    OwnResult result = fit_paper_over_ranks(problem, clouds.features.rows(), clouds.config,
                                            Context{.threads = 1}, options, self);
    std::copy_n(result.probabilities.data(), result.probabilities.size(),
                all.probabilities.data() + rows.begin * 3);
    if (!self.leads()) return;
    all.history = result.history;
    all.best_epoch = result.best_epoch;
    all.estimate = result.estimate;
    all.interrupted = result.interrupted;
  });
  return all;
}

void expect_ordinary_training(const Clouds& clouds) {
  const Model model = fit(clouds.problem, clouds.config, Context{.threads = 1}).model;
  const OwnResult own = fit_clouds(clouds, 1);
  ASSERT_EQ(own.history.size(), model.history.size());
  EXPECT_EQ(own.history.back().loss, model.history.back().loss);
  EXPECT_EQ(own.best_epoch, model.best_epoch);
  EXPECT_EQ(own.estimate.accuracy, model.estimate.accuracy);
  EXPECT_EQ(own.estimate.baseline, model.estimate.baseline);
  ASSERT_EQ(own.probabilities.size(), model.probabilities.size());
  EXPECT_TRUE(std::equal(own.probabilities.data(),
                         own.probabilities.data() + own.probabilities.size(),
                         model.probabilities.data()));
}

TEST(PaperOverRanks, OneRankHasTheBitsOfAnOrdinaryTraining) {
  Clouds clouds(300);
  clouds.config.epochs = 8;
  expect_ordinary_training(clouds);
  for (const GivenGraph how : {GivenGraph::kAlways, GivenGraph::kStart}) {
    clouds.give_graph(how);
    expect_ordinary_training(clouds);
  }
  clouds.give_graph(GivenGraph::kAlways);
  clouds.config.mu1 = 0;  // no second graph
  expect_ordinary_training(clouds);
}

void expect_ranks_agree(const Clouds& clouds) {
  const OwnResult one = fit_clouds(clouds, 1);
  for (const int ranks : {2, 3, 4, 6}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks");
    const OwnResult own = fit_clouds(clouds, ranks);
    for (size_t e = 0; e < one.history.size(); ++e) {
      EXPECT_NEAR(own.history[e].loss, one.history[e].loss, 1e-6 * one.history[e].loss);
      EXPECT_NEAR(own.history[e].val_loss, one.history[e].val_loss, 1e-5);
      EXPECT_EQ(own.history[e].val_accuracy, one.history[e].val_accuracy);
    }
    EXPECT_EQ(own.best_epoch, one.best_epoch);
    for (int64_t e = 0; e < own.probabilities.size(); ++e) {
      ASSERT_NEAR(own.probabilities.data()[e], one.probabilities.data()[e], 1e-5f);
    }
    const OwnResult again = fit_clouds(clouds, ranks);
    EXPECT_TRUE(std::equal(own.probabilities.data(),
                           own.probabilities.data() + own.probabilities.size(),
                           again.probabilities.data()));
  }
}

TEST(PaperOverRanks, RanksAgreeWithOneButForRounding) {
  Clouds clouds(300);
  clouds.config.epochs = 4;
  expect_ranks_agree(clouds);
  for (const GivenGraph how : {GivenGraph::kAlways, GivenGraph::kStart}) {
    clouds.give_graph(how);
    expect_ranks_agree(clouds);
  }
}

// Stopped by two ranks, gone on by others; then with other data.
void expect_to_go_on(Clouds& clouds, const std::function<void()>& change) {
  clouds.config.epochs = 7;
  const TempFolder folder;
  FitOptions options{.on_epoch = [](const EpochReport& report) { return report.epoch < 3; },
                     .checkpoint = folder.path("c")};
  const OwnResult whole = fit_clouds(clouds, 2);
  EXPECT_TRUE(fit_clouds(clouds, 2, options).interrupted);
  options.on_epoch = {};
  options.resume = true;
  for (const int ranks : {1, 2, 3}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks");
    const OwnResult resumed = fit_clouds(clouds, ranks, options);
    ASSERT_EQ(resumed.history.size(), 7u);
    EXPECT_EQ(resumed.best_epoch, whole.best_epoch);
    EXPECT_EQ(resumed.estimate.accuracy, whole.estimate.accuracy);
    for (int64_t e = 0; e < whole.probabilities.size(); ++e) {
      const float apart = std::abs(resumed.probabilities.data()[e] - whole.probabilities.data()[e]);
      ASSERT_LE(apart, ranks == 2 ? 0.0f : 1e-5f);
    }
  }
  change();
  EXPECT_TRUE(begins(folder.error_of(ErrorKind::kUsage,
                                     [&] {
                                       Ranks alone;
                                       fit_paper_over_ranks(clouds.problem, 300, clouds.config,
                                                            Context{.threads = 1}, options, alone);
                                     }),
                     "c: was made from other data"));
}

TEST(PaperOverRanks, AnyNumberOfRanksGoesOnFromACheckpoint) {
  Clouds clouds(300);
  expect_to_go_on(clouds, [&] { clouds.features.dense[7][3] += 1; });
  for (const GivenGraph how : {GivenGraph::kAlways, GivenGraph::kStart}) {
    clouds.give_graph(how);
    expect_to_go_on(clouds, [&] { clouds.graph.values[5] = 2; });
  }
}

}  // namespace
}  // namespace glgnn
