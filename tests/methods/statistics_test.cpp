#include "statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace glgnn::cli {
namespace {

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

}  // namespace
}  // namespace glgnn::cli
