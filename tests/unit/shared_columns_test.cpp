#include "kernels/shared_columns.h"

#include <gtest/gtest.h>

#include "core/rng.h"
#include "kernels/edge_dot.h"

namespace glgnn {
namespace {

// Each entry is there with probability `part`.
Pattern random_pattern(int64_t rows, int64_t cols, double part, uint32_t owner) {
  const Rng rng{5, Stream::kInit, owner, 0};
  Pattern pattern;
  pattern.rows = rows;
  pattern.cols = cols;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) {
      if (rng.uniform(static_cast<uint64_t>(i * cols + j)) < part) {
        pattern.col.push_back(static_cast<int32_t>(j));
      }
    }
    pattern.row_ptr.push_back(pattern.nnz());
  }
  return pattern;
}

std::vector<float> random_values(int64_t n, uint32_t owner) {
  const Rng rng{6, Stream::kInit, owner, 0};
  std::vector<float> values(n);
  for (int64_t e = 0; e < n; ++e) values[e] = rng.normal(static_cast<uint64_t>(e));
  return values;
}

TEST(SharedColumns, AreThoseThatBothRowsHave) {
  Pattern rows;
  rows.rows = 2, rows.cols = 6;
  rows.row_ptr = {0, 3, 7};
  rows.col = {1, 3, 5, 0, 1, 4, 5};
  Pattern pairs;
  pairs.rows = pairs.cols = 2;
  pairs.row_ptr = {0, 1, 2};
  pairs.col = {1, 1};
  const SharedColumns shared = find_shared_columns(pairs.view(), rows.view(), 1);
  EXPECT_EQ(shared.ptr, (std::vector<int64_t>{0, 2, 6}));
  EXPECT_EQ(shared.left, (std::vector<int32_t>{0, 2, 0, 1, 2, 3}));
  EXPECT_EQ(shared.right, (std::vector<int32_t>{1, 3, 0, 1, 2, 3}));
}

// The reference of edge_dot is op_check's; here the bits of its fast kernel are met.
TEST(SharedColumns, EdgeDotHasTheSameBits) {
  for (const double part : {0.02, 0.2, 0.7}) {
    const Pattern rows = random_pattern(90, 61, part, 1), pairs = random_pattern(90, 90, 0.1, 2);
    const Transpose by_column = transpose(rows.view()), transposed = transpose(pairs.view());
    const std::vector<float> z = random_values(rows.nnz(), 3), d_s = random_values(pairs.nnz(), 4);
    const ZSparse<float> view{rows.view(), z.data(), by_column.pattern.view(),
                              by_column.source.data()};
    std::vector<float> s(pairs.nnz()), d_z = random_values(rows.nnz(), 5);
    const std::vector<float> start = d_z;
    cpu::edge_dot_forward(s.data(), pairs.view(), view, 1);
    cpu::edge_dot_backward(d_z.data(), d_s.data(), pairs.view(), transposed.view(), view, 1);
    for (const int threads : {1, 3}) {
      const SharedColumns shared = find_shared_columns(pairs.view(), rows.view(), threads);
      std::vector<float> found(pairs.nnz()), d_found = start;
      cpu::edge_dot_forward(found.data(), pairs.view(), shared, rows.view(), z.data(), threads);
      cpu::edge_dot_backward(d_found.data(), d_s.data(), pairs.view(), transposed.view(), shared,
                             rows.view(), z.data(), threads);
      EXPECT_EQ(found, s);
      EXPECT_EQ(d_found, d_z);
    }
  }
}

}  // namespace
}  // namespace glgnn
