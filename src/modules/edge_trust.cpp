#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "core/rng.h"
#include "modules/row_graph.h"

namespace glgnn {
namespace {

// The least part of the random pairs by which the part of random edges is measured: those least
// alike. With fewer chance would decide.
constexpr double kEnoughPairs = 0.05;

Matrix unit_rows_of(const Matrix& x, int threads) {
  Matrix out = x;
  for_row_ranges(out.rows(), 2 * out.size(), threads, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      double squares = 0;
      for (int64_t f = 0; f < out.cols(); ++f) squares += double{x[i][f]} * x[i][f];
      const float scale = squares > 0 ? static_cast<float>(1 / std::sqrt(squares)) : 0.0f;
      for (int64_t f = 0; f < out.cols(); ++f) out[i][f] *= scale;
    }
  });
  return out;
}

// One end of an edge: the row with the mean of its neighbours, without the other end.
class EdgeEnds {
 public:
  EdgeEnds(const Csr& graph, const Matrix& x, int threads)
      : graph_(graph), x_(unit_rows_of(x, threads)), sum_(x.rows(), x.cols()), weight_(x.rows()) {
    const Pattern& edges = *graph.pattern;
    for_row_ranges(x_.rows(), edges.nnz() * x_.cols(), threads, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        for (int64_t e = edges.row_ptr[i]; e < edges.row_ptr[i + 1]; ++e) {
          weight_[i] += graph.values[e];
          const float* const other = x_[edges.col[e]];
          for (int64_t f = 0; f < x_.cols(); ++f) sum_[i][f] += graph.values[e] * other[f];
        }
      }
    });
  }

  // `row` without its edge `e`.
  void put(std::vector<float>& end, int64_t row, int64_t e) const {
    const float* const other = x_[graph_.pattern->col[e]];
    const float left = weight_[row] - graph_.values[e];
    const float scale = left > 1e-6f * weight_[row] ? 1 / left : 0.0f;
    for (int64_t f = 0; f < x_.cols(); ++f) {
      end[f] = x_[row][f] + scale * (sum_[row][f] - graph_.values[e] * other[f]);
    }
  }

 private:
  const Csr& graph_;
  Matrix x_, sum_;
  std::vector<float> weight_;
};

float cosine(const std::vector<float>& a, const std::vector<float>& b) {
  double dot = 0, of_a = 0, of_b = 0;
  for (size_t f = 0; f < a.size(); ++f) {
    dot += double{a[f]} * b[f];
    of_a += double{a[f]} * a[f];
    of_b += double{b[f]} * b[f];
  }
  return of_a > 0 && of_b > 0 ? static_cast<float>(dot / std::sqrt(of_a * of_b)) : 0.0f;
}

constexpr float kNoPair = 2;  // in place of a likeness: the two are one row

// How alike the ends of each edge are, and the ends of two edges that were drawn.
struct Likeness {
  std::vector<float> edges, pairs;
};

Likeness measure(const Csr& graph, const Matrix& x, int threads) {
  const Pattern& pattern = *graph.pattern;
  const int64_t count = pattern.nnz();
  std::vector<int32_t> row_of(count);
  for (int64_t i = 0; i < pattern.rows; ++i) {
    std::fill(row_of.begin() + pattern.row_ptr[i], row_of.begin() + pattern.row_ptr[i + 1],
              static_cast<int32_t>(i));
  }
  const EdgeEnds ends(graph, x, threads);
  const Rng rng{0, Stream::kNoiseEdges, 1, 0};
  Likeness found{std::vector<float>(count), std::vector<float>(count)};
  for_row_ranges(count, 8 * count * x.cols(), threads, [&](int64_t first, int64_t last) {
    std::vector<float> own(x.cols()), other(x.cols());
    for (int64_t e = first; e < last; ++e) {
      const int64_t row = row_of[e], col = pattern.col[e];
      ends.put(own, row, e);
      const auto begin = pattern.col.begin();
      const int64_t back =
          std::lower_bound(begin + pattern.row_ptr[col], begin + pattern.row_ptr[col + 1], row) -
          begin;
      ends.put(other, col, back);
      found.edges[e] = cosine(own, other);
      const auto drawn = std::min(static_cast<int64_t>(rng.uniform(e) * count), count - 1);
      ends.put(other, row_of[drawn], drawn);
      found.pairs[e] = row_of[drawn] == row ? kNoPair : cosine(own, other);
    }
  });
  std::erase(found.pairs, kNoPair);
  return found;
}

// Edges and random pairs of about the same likeness.
struct Block {
  double edges = 0, pairs = 0;
  size_t end = 0;  // in the order of likeness
};

// f / f0 rising: neighbours that fall are joined.
std::vector<Block> rising_blocks(const std::vector<std::pair<float, bool>>& ordered) {
  std::vector<Block> blocks;
  for (size_t at = 0; at < ordered.size();) {
    Block block;
    const float likeness = ordered[at].first;
    for (; at < ordered.size() && ordered[at].first == likeness; ++at) {
      ++(ordered[at].second ? block.edges : block.pairs);
    }
    block.end = at;
    while (!blocks.empty() &&
           blocks.back().edges * block.pairs >= block.edges * blocks.back().pairs) {
      block.edges += blocks.back().edges;
      block.pairs += blocks.back().pairs;
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  return blocks;
}

struct Trust {
  std::vector<float> of_edge;
  double random_part = 0;
};

Trust trust_of(const Likeness& likeness) {
  std::vector<std::pair<float, bool>> ordered;
  for (const float s : likeness.edges) ordered.emplace_back(s, true);
  for (const float s : likeness.pairs) ordered.emplace_back(s, false);
  std::sort(ordered.begin(), ordered.end());
  const std::vector<Block> blocks = rising_blocks(ordered);
  const double share = static_cast<double>(likeness.pairs.size()) /
                       static_cast<double>(std::max<size_t>(1, likeness.edges.size()));
  double edges = 0, pairs = 0;
  for (const Block& block : blocks) {
    edges += block.edges;
    pairs += block.pairs;
    if (pairs >= kEnoughPairs * static_cast<double>(likeness.pairs.size())) break;
  }
  Trust trust{std::vector<float>(likeness.edges.size()),
              pairs > 0 ? std::min(1.0, edges / pairs * share) : 0.0};
  for (size_t e = 0; e < trust.of_edge.size(); ++e) {
    const auto at = static_cast<size_t>(
        std::lower_bound(ordered.begin(), ordered.end(), std::pair(likeness.edges[e], true)) -
        ordered.begin());
    const auto block = std::upper_bound(blocks.begin(), blocks.end(), at,
                                        [](size_t place, const Block& b) { return place < b.end; });
    trust.of_edge[e] = static_cast<float>(
        std::max(0.0, 1 - trust.random_part * block->pairs / (block->edges * share)));
  }
  return trust;
}

}  // namespace

TrustedEdges trusted_edges(const Csr& graph, const Matrix& x, int threads) {
  // The second pass sees rows beside neighbours that the first has weighed: a little better told
  // apart. A third gains nothing.
  constexpr int kPasses = 2;
  Csr weighed = graph;
  Trust trust;
  for (int pass = 0; pass < kPasses; ++pass) {
    trust = trust_of(measure(weighed, x, threads));
    for (size_t e = 0; e < trust.of_edge.size(); ++e) {
      weighed.values[e] = trust.of_edge[e] * graph.values[e];
    }
  }
  const Pattern& from = *graph.pattern;
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = from.rows;
  pattern->cols = from.cols;
  TrustedEdges out{{}, trust.random_part};
  for (int64_t i = 0; i < from.rows; ++i) {
    for (int64_t e = from.row_ptr[i]; e < from.row_ptr[i + 1]; ++e) {
      if (trust.of_edge[e] <= 0.5f) continue;
      pattern->col.push_back(from.col[e]);
      out.graph.values.push_back(weighed.values[e]);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  out.graph.pattern = std::move(pattern);
  return out;
}

}  // namespace glgnn
