#include "train/time_left.h"

#include <gtest/gtest.h>

namespace glgnn {
namespace {

TEST(TimeLeft, WithoutAnyExperienceTheRuleCounts) {
  const TimeLeft left({{"a k=1", 2}, {"a k=2", 3}});
  EXPECT_EQ(left.seconds(), 5);
}

TEST(TimeLeft, AKindCorrectsItsRule) {
  TimeLeft left({{"a k=1", 1}, {"b k=1", 4}, {"a k=2", 2}, {"b k=2", 4}, {"c", 3}});
  left.finish(10);
  EXPECT_EQ(left.seconds(), 40 + 20 + 40 + 30) << "another kind: as all that are done";
  left.finish(12);
  EXPECT_NEAR(left.seconds(), 20 + 2 + 3 * 12.0 / 5, 1e-9);
}

TEST(TimeLeft, AfterTheNetworkIsAnotherKind) {
  TimeLeft left({{"a k=1", 1}, {"a k=1 after_network", 1}, {"a k=2 after_network", 1}});
  left.finish(10);
  left.finish(11);
  EXPECT_EQ(left.seconds(), 1);
}

TEST(TimeLeft, TheSameModuleOfAnotherFoldTakesAsLong) {
  TimeLeft left({{"a k=1", 1}, {"a k=2", 1}, {"a k=1", 1}, {"a k=2", 1}});
  left.finish(1);
  left.finish(10);
  EXPECT_EQ(left.seconds(), 10);
  left.finish(10.5);
  EXPECT_EQ(left.seconds(), 4.5) << "this fold is twice as fast";
  left.finish(15);
  EXPECT_EQ(left.seconds(), 0);
}

TEST(TimeLeft, WhatACheckpointHoldsTeachesNothing) {
  TimeLeft left({{"a k=1", 1}, {"a k=2", 1}, {"a k=3", 1}});
  left.finish(0);
  EXPECT_EQ(left.seconds(), 2);
  left.finish(3);
  EXPECT_EQ(left.seconds(), 3);
  left.finish(5);
  left.finish(6);  // the network of graphs
  EXPECT_EQ(left.seconds(), 0);
}

TEST(ExpectedSeconds, LongModulesAreKnownFromShortOnes) {
  Features x;
  x.dense = Matrix(2000, 20);
  Problem problem;
  problem.features = &x;
  problem.train.resize(80);
  problem.classes = 3;
  const auto seconds = [&](const std::string& module) { return expected_seconds(module, problem); };
  const double spread = seconds("spread views=rank k=5 rounds=1");
  EXPECT_GT(seconds("spread views=rank k=5 rounds=3"), 2 * spread);
  EXPECT_GT(seconds("gaussian views=rank k=5 rounds=1 steps=0"), spread);
  const double layers = seconds("layers views=rank k=10 rounds=2 hidden=64");
  EXPECT_GT(layers, 10 * spread);
  EXPECT_LT(seconds("layers views=rank k=10 hidden=64 after_network"), 0.7 * layers);
}

}  // namespace
}  // namespace glgnn
