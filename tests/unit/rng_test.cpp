#include "core/rng.h"

#include <gtest/gtest.h>

#include <cmath>

namespace glgnn {
namespace {

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

}  // namespace
}  // namespace glgnn
