#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/data.h"

namespace glgnn {
namespace {

bool has(const Pattern& pattern, int64_t i, int32_t j) {
  return std::binary_search(pattern.col.begin() + pattern.row_ptr[i],
                            pattern.col.begin() + pattern.row_ptr[i + 1], j);
}

void check_order(const Pattern& pattern) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i] + 1; e < pattern.row_ptr[i + 1]; ++e) {
      ASSERT_LT(pattern.col[e - 1], pattern.col[e]);
    }
  }
}

TEST(NoiseEdges, AreAsManyAsTheirProbabilitySays) {
  const int64_t n = 700;
  for (const double p : {0.001, 0.2, 0.9}) {
    const NoisyGraph noisy = add_noise_edges(nullptr, n, p, 5);
    const double pairs = static_cast<double>(n) * (n - 1), expected = p * pairs;
    EXPECT_NEAR(static_cast<double>(noisy.added.nnz()), expected,
                5 * std::sqrt(expected * (1 - p)) + 1);
    EXPECT_EQ(noisy.added.col, noisy.graph.pattern->col);
    check_order(noisy.added);
    for (int64_t i = 0; i < n; ++i) ASSERT_FALSE(has(noisy.added, i, static_cast<int32_t>(i)));
  }
}

TEST(NoiseEdges, LeaveTheGivenGraphInPlace) {
  const Dataset cora = load_dataset("cora");
  const NoisyGraph noisy = add_noise_edges(&cora.graph, cora.rows(), 0.001, 1);
  check_order(*noisy.graph.pattern);
  EXPECT_EQ(noisy.graph.nnz(), cora.graph.nnz() + noisy.added.nnz());
  EXPECT_EQ(noisy.graph.values.size(), noisy.graph.pattern->col.size());
  for (int64_t i = 0; i < cora.rows(); ++i) {
    for (int64_t e = cora.graph.pattern->row_ptr[i]; e < cora.graph.pattern->row_ptr[i + 1]; ++e) {
      ASSERT_TRUE(has(*noisy.graph.pattern, i, cora.graph.pattern->col[e]));
      ASSERT_FALSE(has(noisy.added, i, cora.graph.pattern->col[e]));
    }
  }
}

TEST(NoiseEdges, HaveWeightsFromTheUnitInterval) {
  const Dataset cora = load_dataset("cora");
  const NoisyGraph noisy = add_noise_edges(&cora.graph, cora.rows(), 0.001, 1);
  double sum = 0;
  float lowest = 1, highest = 0;
  for (int64_t i = 0; i < cora.rows(); ++i) {
    const Pattern& all = *noisy.graph.pattern;
    for (int64_t e = all.row_ptr[i]; e < all.row_ptr[i + 1]; ++e) {
      const float weight = noisy.graph.values[e];
      if (!has(noisy.added, i, all.col[e])) {
        ASSERT_EQ(weight, 1.0f);  // the given edges keep theirs
        continue;
      }
      sum += weight;
      lowest = std::min(lowest, weight);
      highest = std::max(highest, weight);
    }
  }
  EXPECT_NEAR(sum / static_cast<double>(noisy.added.nnz()), 0.5, 0.02);
  EXPECT_LT(lowest, 0.01f);
  EXPECT_GT(lowest, 0.0f);
  EXPECT_GT(highest, 0.99f);
  EXPECT_LT(highest, 1.0f);
}

TEST(NoiseEdges, BothWaysTheGraphIsSymmetric) {
  const NoisyGraph noisy = add_noise_edges(nullptr, 200, 0.05, 1);
  const Csr both = undirected(noisy.graph);
  check_order(*both.pattern);
  const auto weight = [](const Csr& graph, int64_t i, int32_t j) {
    const int32_t* begin = graph.pattern->col.data() + graph.pattern->row_ptr[i];
    const int32_t* end = graph.pattern->col.data() + graph.pattern->row_ptr[i + 1];
    const int32_t* found = std::lower_bound(begin, end, j);
    return found != end && *found == j ? graph.values[found - graph.pattern->col.data()] : 0.0f;
  };
  int64_t edges = 0;
  for (int32_t i = 0; i < 200; ++i) {
    for (int32_t j = 0; j < 200; ++j) {
      const float larger = std::max(weight(noisy.graph, i, j), weight(noisy.graph, j, i));
      ASSERT_EQ(weight(both, i, j), larger);
      edges += larger > 0;
    }
  }
  EXPECT_EQ(edges, both.nnz());
}

TEST(NoiseEdges, DependOnTheSeedAlone) {
  const auto columns = [](uint64_t seed) {
    return add_noise_edges(nullptr, 90, 0.1, seed).added.col;
  };
  EXPECT_EQ(columns(3), columns(3));
  EXPECT_NE(columns(3), columns(4));
}

}  // namespace
}  // namespace glgnn
