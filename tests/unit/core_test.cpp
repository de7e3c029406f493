// The core: matrices, random numbers, settings, metrics, parallel loops.
#include <glgnn/config.h>
#include <glgnn/error.h>
#include <glgnn/matrix.h>
#include <glgnn/metrics.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <new>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/check.h"
#include "core/parallel.h"
#include "core/rng.h"

namespace glgnn {
namespace {

class SharedMatrix : public testing::Test {
 protected:
  std::shared_ptr<std::array<float, 6>> numbers_ =
      std::make_shared<std::array<float, 6>>(std::array<float, 6>{1, 2, 3, 4, 5, 6});
  Matrix matrix_ = Matrix::share({numbers_, numbers_->data()}, 2, 3);
};

TEST_F(SharedMatrix, ReadsWhereTheNumbersAre) {
  const Matrix& read = matrix_;
  EXPECT_EQ(read.data(), numbers_->data());
  EXPECT_EQ(read[1][2], 6.0f);
  EXPECT_EQ(read.view()[1], numbers_->data() + 3);
  EXPECT_FALSE(read.empty());
  const Matrix copy = matrix_;
  EXPECT_EQ(copy.data(), numbers_->data());
  EXPECT_TRUE(matrix_.is_shared());
}

TEST_F(SharedMatrix, WritesToItsOwnCopy) {
  matrix_[1][0] = 40;
  EXPECT_FALSE(matrix_.is_shared());
  EXPECT_EQ(matrix_[1][0], 40.0f);
  EXPECT_EQ(matrix_[1][1], 5.0f);
  EXPECT_EQ((*numbers_)[3], 4.0f);
}

TEST_F(SharedMatrix, FillsItsOwnCopy) {
  matrix_.fill(7);
  EXPECT_EQ(matrix_[0][0], 7.0f);
  EXPECT_EQ(matrix_.size(), 6);
  EXPECT_EQ((*numbers_)[0], 1.0f);
}

TEST_F(SharedMatrix, KeepsTheNumbersAlive) {
  const std::weak_ptr<std::array<float, 6>> watched = numbers_;
  numbers_.reset();
  EXPECT_EQ(std::as_const(matrix_)[0][1], 2.0f);
  const Matrix moved = std::move(matrix_);
  EXPECT_EQ(moved[0][1], 2.0f);
  matrix_ = Matrix(1, 1);
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(moved[1][2], 6.0f);
}

TEST_F(SharedMatrix, LetsGo) {
  const std::weak_ptr<std::array<float, 6>> watched = numbers_;
  numbers_.reset();
  matrix_ = Matrix();
  EXPECT_TRUE(watched.expired());
}

// The known answer that Random123 publishes for Philox4x32-10 with counter and key zero.
TEST(Rng, IsPhilox) {
  const Rng zero{0, static_cast<Stream>(0), 0, 0};
  const std::array<uint32_t, 4> expected{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u};
  EXPECT_EQ(zero.block(0), expected);
}

TEST(Rng, UniformIsInsideTheOpenIntervalWithTheRightMoments) {
  const Rng rng{7, Stream::kDropInput, 2, 3};
  double sum = 0, squares = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const float u = rng.uniform(i);
    ASSERT_GT(u, 0.0f);
    ASSERT_LT(u, 1.0f);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / n, 0.5, 0.005);
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.005);
  EXPECT_LT(Rng::to_uniform(0xffffffffu), 1.0f);
  EXPECT_GT(Rng::to_uniform(0), 0.0f);
}

TEST(Rng, NormalHasTheRightMoments) {
  const Rng rng{7, Stream::kInit, 0, 0};
  double sum = 0, squares = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const float x = rng.normal(i);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0, 0.02);
  EXPECT_NEAR(squares / n, 1, 0.02);
}

TEST(Rng, EveryPartOfTheAddressMatters) {
  const Rng base{1, Stream::kInit, 0, 0};
  for (const Rng other : {Rng{2, Stream::kInit, 0, 0}, Rng{1, Stream::kSplit, 0, 0},
                          Rng{1, Stream::kInit, 1, 0}, Rng{1, Stream::kInit, 0, 1}}) {
    EXPECT_NE(base.block(5), other.block(5));
  }
  EXPECT_NE(base.block(5), base.block(6));
}

std::string usage_error(const std::string& name, const std::string& value) {
  Config config;
  try {
    set_setting(config, name, value);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(Config, EverySettingSurvivesATripThroughText) {
  Config config;
  for (const Setting& setting : list_settings(config)) {
    set_setting(config, setting.name, setting.value);
    EXPECT_EQ(get_setting(config, setting.name), setting.value);
    EXPECT_FALSE(setting.text.empty()) << setting.name;
    EXPECT_FALSE(setting.allowed.empty()) << setting.name;
  }
}

TEST(Config, NamesAreUnique) {
  std::set<std::string> names;
  for (const Setting& setting : list_settings({})) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
  }
}

TEST(Config, SetsNumbersWordsAndSwitches) {
  Config config;
  set_setting(config, "k", "12");
  set_setting(config, "mu1", "0.25");
  set_setting(config, "similarity", "cosine");
  set_setting(config, "rescale", "none");
  EXPECT_EQ(config.k, 12);
  EXPECT_EQ(config.mu1, 0.25);
  EXPECT_EQ(config.similarity, Similarity::kCosine);
  EXPECT_EQ(config.rescale, Rescale::kNone);
}

TEST(Config, UnknownNameNamesTheNearest) {
  EXPECT_EQ(
      usage_error("droput", "0.5"),
      "unknown setting \"droput\"; the nearest is \"dropout\"; `glgnn settings` lists them all");
}

TEST(Config, WrongValuesSayWhatFits) {
  EXPECT_EQ(usage_error("similarity", "euclid"),
            "setting similarity: found \"euclid\", expected dot|cosine");
  EXPECT_EQ(usage_error("dropout", "1.5"),
            "setting dropout: found \"1.5\", expected number from 0 to 0.99");
  EXPECT_EQ(usage_error("k", "3.5"), "setting k: found \"3.5\", expected whole number from 0");
  EXPECT_EQ(usage_error("mu1", "nan"), "setting mu1: found \"nan\", expected number from 0");
  EXPECT_EQ(usage_error("bias", "yes"), "setting bias: found \"yes\", expected true|false");
}

TEST(Config, AFailedSetLeavesTheValue) {
  Config config;
  EXPECT_THROW(set_setting(config, "k", "-1"), Error);
  EXPECT_EQ(config.k, 0);
}

// Labels 0 0 0 0 1 1 2 and one unknown; class 3 has no row.
const std::vector<int32_t> kLabels{0, 0, 0, 0, 1, 1, 2, -1};
const std::vector<int32_t> kPredicted{0, 0, 0, 1, 1, 0, 1, 2};
const std::vector<int32_t> kRows{0, 1, 2, 3, 4, 5, 6, 7};

ConfusionMatrix confusion() { return confusion_matrix(kPredicted, kLabels, kRows, 4); }

TEST(Metrics, ConfusionCountsLabelledRowsOnly) {
  const ConfusionMatrix matrix = confusion();
  EXPECT_EQ(matrix.at(0, 0), 3);
  EXPECT_EQ(matrix.at(0, 1), 1);
  EXPECT_EQ(matrix.at(1, 0), 1);
  EXPECT_EQ(matrix.at(1, 1), 1);
  EXPECT_EQ(matrix.at(2, 1), 1);
  int64_t all = 0;
  for (const int64_t count : matrix.counts) all += count;
  EXPECT_EQ(all, 7);
}

TEST(Metrics, ConfusionCountsTheGivenRowsOnly) {
  const std::vector<int32_t> rows{3, 6};
  const ConfusionMatrix matrix = confusion_matrix(kPredicted, kLabels, rows, 4);
  EXPECT_EQ(matrix.at(0, 1), 1);
  EXPECT_EQ(matrix.at(2, 1), 1);
  EXPECT_EQ(matrix.at(0, 0), 0);
}

TEST(Metrics, PerClass) {
  const std::vector<ClassMetrics> metrics = class_metrics(confusion());
  ASSERT_EQ(metrics.size(), 4u);
  EXPECT_EQ(metrics[0].support, 4);
  EXPECT_DOUBLE_EQ(metrics[0].recall(), 3.0 / 4);
  EXPECT_DOUBLE_EQ(metrics[0].precision(), 3.0 / 4);
  EXPECT_DOUBLE_EQ(metrics[1].recall(), 1.0 / 2);
  EXPECT_DOUBLE_EQ(metrics[1].precision(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(metrics[1].f1(), 2.0 / 5);
  EXPECT_DOUBLE_EQ(metrics[2].recall(), 0);
  EXPECT_DOUBLE_EQ(metrics[2].f1(), 0);
  EXPECT_EQ(metrics[3].support, 0);
  EXPECT_DOUBLE_EQ(metrics[3].recall(), 0);
}

TEST(Metrics, MeansLeaveOutClassesThatDoNotOccur) {
  EXPECT_DOUBLE_EQ(macro_f1(confusion()), (0.75 + 0.4 + 0.0) / 3);
  EXPECT_DOUBLE_EQ(balanced_accuracy(confusion()), (0.75 + 0.5 + 0.0) / 3);
}

TEST(Metrics, NoRows) {
  const ConfusionMatrix none = confusion_matrix(kPredicted, kLabels, {}, 4);
  EXPECT_DOUBLE_EQ(macro_f1(none), 0);
  EXPECT_DOUBLE_EQ(balanced_accuracy(none), 0);
}

// Exceptions of parallel loops reach the caller, and our own faults are exceptions.

constexpr int64_t kCount = 1000;

TEST(ParallelFor, TheFirstExceptionReachesTheCaller) {
  for (const int threads : {1, 2, 4}) {
    for (const int64_t chunk : {0, 1, 64}) {
      std::atomic<int64_t> done = 0;
      const auto run = [&](int64_t failing) {
        parallel_for(kCount, threads, chunk, [&](int64_t i) {
          if (i >= failing) throw std::bad_alloc();
          ++done;
        });
      };
      EXPECT_NO_THROW(run(kCount));
      EXPECT_EQ(done, kCount);
      EXPECT_THROW(run(0), std::bad_alloc);
      EXPECT_THROW(run(kCount - 1), std::bad_alloc);
      EXPECT_NO_THROW(run(kCount)) << "a loop after one that failed";
    }
  }
}

TEST(ParallelFor, ARoomThatCannotBeMadeIsTold) {
  for (const int threads : {1, 4}) {
    std::atomic<int> made = 0;
    const auto run = [&](int most) {
      const auto make_room = [&] {
        if (++made > most) throw std::length_error("no room");
        return std::vector<int>(3);
      };
      parallel_for_in_rooms(kCount, threads, 1, make_room,
                            [](std::vector<int>& room, int64_t) { room.at(2) = 1; });
    };
    EXPECT_NO_THROW(run(threads));
    EXPECT_THROW(run(0), std::length_error);
  }
  EXPECT_THROW(parallel_for_in_rooms(
                   kCount, 3, 1, [] { return 0; }, [](int, int64_t) { throw std::bad_alloc(); }),
               std::bad_alloc);
}

TEST(ParallelFor, RangesAndPiecesTellToo) {
  const auto fail = [](int64_t, int64_t) { throw std::bad_alloc(); };
  EXPECT_THROW(for_row_ranges(kCount, 1 << 20, 4, fail), std::bad_alloc);
  EXPECT_THROW(
      for_fixed_pieces(kCount, 10, 4, [](int64_t, int64_t, int64_t) { throw std::bad_alloc(); }),
      std::bad_alloc);
}

// Rooms are by the number of the thread.
TEST(ParallelFor, ThreadsHaveNumbersBelowTheirCount) {
  for (const int threads : {1, 3}) {
    std::vector<int64_t> sums(static_cast<size_t>(threads), 0);
    parallel_for(kCount, threads, 7, [&](int64_t i, int thread) { sums.at(thread) += i; });
    int64_t sum = 0;
    for (const int64_t part : sums) sum += part;
    EXPECT_EQ(sum, kCount * (kCount - 1) / 2);
  }
}

TEST(ParallelFor, AnAssertionIsAnException) {
  const auto run = [] {
    parallel_for(kCount, 2, 1, [](int64_t i) { GLGNN_ASSERT(i < kCount / 2); });
  };
  try {
    run();
    FAIL() << "nothing was said";
  } catch (const InternalFault& fault) {
    const std::string text = fault.what();
    EXPECT_NE(text.find("core_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("this is our own fault: please report it"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace glgnn
