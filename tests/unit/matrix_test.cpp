// A matrix that shares somebody else's numbers, and stops to when it is written to.
#include <glgnn/matrix.h>
#include <gtest/gtest.h>

#include <array>

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

}  // namespace
}  // namespace glgnn
