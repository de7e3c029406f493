#include "kernels/hops.h"

#include <algorithm>
#include <utility>

#include "core/parallel.h"

namespace glgnn {
namespace {

// The first of ascending columns that is not below `column`, sought from `begin` on: in steps of a
// few vectors, then by counting.
const int32_t* skip_below(const int32_t* begin, const int32_t* end, int32_t column) {
  constexpr int64_t kStep = 16;
  while (end - begin > kStep && begin[kStep - 1] < column) begin += kStep;
  int32_t below = 0;
  if (end - begin >= kStep) {
    for (int64_t q = 0; q < kStep; ++q) below += begin[q] < column;
  } else {
    for (int64_t q = 0; q < end - begin; ++q) below += begin[q] < column;
  }
  return begin + below;
}

void find_near_row(int64_t* near_of_kept, const PatternView& kept, const PatternView& near,
                   int64_t i) {
  const int32_t* begin = near.col + near.row_ptr[i];
  const int32_t* end = near.col + near.row_ptr[i + 1];
  // Step by step where the near pairs are not very many more than the kept ones.
  const bool walk = end - begin < 64 * kept.row_size(i);
  for (int64_t e = kept.row_ptr[i]; e < kept.row_ptr[i + 1]; ++e) {
    begin = walk ? skip_below(begin, end, kept.col[e]) : std::lower_bound(begin, end, kept.col[e]);
    const bool found = begin != end && *begin == kept.col[e];
    near_of_kept[e] = found ? begin - near.col : -1;
  }
}

}  // namespace

HopPairs hop_shells(SharedPattern graph, int64_t hops) {
  HopPairs out;
  out.hops = hops;
  out.shells = HopShells(std::move(graph), hops);
  return out;
}

HopPairs hop_powers(PatternView graph, const float* values, int64_t hops) {
  HopPairs out;
  out.hops = hops;
  out.near.rows = out.near.cols = graph.rows;
  // reach[l * N + j]: entry (i, j) of A^(l + 1), for the row i at hand.
  std::vector<float> reach(hops * graph.rows, 0.0f);
  std::vector<uint8_t> seen(graph.rows, 0);
  std::vector<int32_t> found;
  for (int64_t i = 0; i < graph.rows; ++i) {
    found.clear();
    const auto spread = [&](int64_t from, float weight, int64_t level) {
      for (int64_t e = graph.row_ptr[from]; e < graph.row_ptr[from + 1]; ++e) {
        const int32_t to = graph.col[e];
        reach[level * graph.rows + to] += weight * values[e];
        if (!seen[to]) seen[to] = 1, found.push_back(to);
      }
    };
    spread(i, 1.0f, 0);
    for (int64_t level = 1; level < hops; ++level) {
      const size_t known = found.size();
      for (size_t p = 0; p < known; ++p) {
        const float weight = reach[(level - 1) * graph.rows + found[p]];
        if (weight != 0.0f) spread(found[p], weight, level);
      }
    }
    std::sort(found.begin(), found.end());
    for (const int32_t j : found) {
      seen[j] = 0;
      if (j != i) out.near.col.push_back(j);
      for (int64_t level = 0; level < hops; ++level) {
        if (j != i) out.coefficients.push_back(reach[level * graph.rows + j]);
        reach[level * graph.rows + j] = 0.0f;
      }
    }
    out.near.row_ptr.push_back(out.near.nnz());
  }
  return out;
}

void find_near(int64_t* near_of_kept, PatternView kept, PatternView near, int threads) {
  if (near.rows == 0) {
    std::fill(near_of_kept, near_of_kept + kept.nnz(), -1);
    return;
  }
  for_row_ranges(kept.rows, 8 * kept.nnz(), threads, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) find_near_row(near_of_kept, kept, near, i);
  });
}

void hop_shares(float* shares, PatternView kept, const HopPairs& pairs, int threads) {
  const int64_t weights = pairs.hops + 1;
  std::fill(shares, shares + kept.nnz() * weights, 0.0f);
  if (pairs.shells.rows() > 0) {
    std::vector<uint8_t> distance(kept.nnz());
    pairs.shells.distances(distance.data(), kept, threads);
    for (int64_t e = 0; e < kept.nnz(); ++e) shares[e * weights + distance[e] - 1] = 1.0f;
    return;
  }
  std::vector<int64_t> near(kept.nnz());
  find_near(near.data(), kept, pairs.near.view(), threads);
  for (int64_t e = 0; e < kept.nnz(); ++e) {
    if (near[e] < 0) {
      shares[e * weights + pairs.hops] = 1.0f;
    } else {
      std::copy_n(pairs.coefficients.data() + near[e] * pairs.hops, pairs.hops,
                  shares + e * weights);
    }
  }
}

namespace cpu {

void hop_gather_forward(float* h_kept, const float* shares, int64_t kept, const float* v,
                        int64_t weights, int threads) {
  for_row_ranges(kept, weights * kept, threads, [&](int64_t first, int64_t last) {
    ref::hop_gather_forward(h_kept + first, shares + first * weights, last - first, v, weights);
  });
}

void hop_gather_backward(float* d_v, const float* d_h_kept, const float* shares, int64_t kept,
                         int64_t weights, int threads) {
  constexpr int64_t kPiece = 4096;
  const int64_t pieces = (kept + kPiece - 1) / kPiece;
  std::vector<float> sums(pieces * weights, 0.0f);
  for_fixed_pieces(kept, kPiece, threads, [&](int64_t piece, int64_t first, int64_t last) {
    ref::hop_gather_backward(sums.data() + piece * weights, d_h_kept + first,
                             shares + first * weights, last - first, weights);
  });
  for (int64_t p = 0; p < pieces; ++p) {
    for (int64_t l = 0; l < weights; ++l) d_v[l] += sums[p * weights + l];
  }
}

}  // namespace cpu
}  // namespace glgnn
