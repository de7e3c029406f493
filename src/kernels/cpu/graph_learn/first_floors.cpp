#include "kernels/cpu/graph_learn/first_floors.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "kernels/cpu/scratch.h"
#include "kernels/edges.h"
#include "kernels/hops.h"

namespace glgnn::cpu {
namespace {

struct FloorScratch {
  Scratch<float> floors, lengths, s, boosts;
  Scratch<uint8_t> distances;
  Scratch<int64_t> near;
};
thread_local FloorScratch scratch;

struct RowNumbers {
  const float* at;
  int64_t count;
};
RowNumbers numbers_of(const ZDense<float>& z, int64_t i) { return {z.z[i], z.z.cols}; }
RowNumbers numbers_of(const ZSparse<float>& z, int64_t i) {
  return {z.values + z.pattern.row_ptr[i], z.pattern.row_size(i)};
}
int64_t numbers(const ZDense<float>& z) { return z.z.size(); }
int64_t numbers(const ZSparse<float>& z) { return z.pattern.nnz(); }

float length(const RowNumbers& row) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t f = 0; f < row.count; ++f) sum += row.at[f] * row.at[f];
  return std::sqrt(sum);
}

struct Listed {
  PatternView pairs;
  const float* s;
  const float* boosts;   // what t has above S; null without hops
  const float* lengths;  // of all rows of Z
};

float first_floor(const Listed& listed, const RowRule& rule, int64_t i, int64_t terms) {
  if (listed.pairs.row_size(i) < rule.keep) return rule.first_floor();
  float worst = std::numeric_limits<float>::infinity(), worst_s = worst, longest = 0;
  for (int64_t e = listed.pairs.row_ptr[i]; e < listed.pairs.row_ptr[i + 1]; ++e) {
    const float t = listed.s[e] + (listed.boosts ? listed.boosts[e] : 0.0f);
    if (std::isnan(t)) return rule.first_floor();
    worst = std::min(worst, t);
    worst_s = std::min(worst_s, listed.s[e]);
    longest = std::max(longest, listed.lengths[listed.pairs.col[e]]);
  }
  constexpr float kUnit = 0x1p-22f;  // twice the rounding of two sums
  const float error =
      kUnit * (static_cast<float>(terms + 8) * listed.lengths[i] * longest + std::abs(worst));
  if (rule.positive_only && !(worst_s > error)) return rule.first_floor();
  // Below even where nothing can be rounded, as in rows of zeros: t must exceed the floor.
  const float floor = std::nextafter(worst - 2 * error, -HUGE_VALF);
  return std::isfinite(floor) ? floor : rule.first_floor();
}

const float* boosts_of(PatternView pairs, const RowRule& rule, int threads) {
  if (!rule.has_hops()) return nullptr;
  float* boosts = scratch.boosts.grow(pairs.nnz());
  if (const HopShells* shells = rule.hops.shells) {
    uint8_t* distance = scratch.distances.grow(pairs.nnz());
    shells->distances(distance, pairs, threads);
    for (int64_t e = 0; e < pairs.nnz(); ++e) {
      boosts[e] = distance[e] <= shells->hops() ? rule.boost_of_shell[distance[e] - 1] : 0.0f;
    }
    return boosts;
  }
  int64_t* near = scratch.near.grow(pairs.nnz());
  find_near(near, pairs, rule.hops.near, threads);
  for (int64_t e = 0; e < pairs.nnz(); ++e) boosts[e] = near[e] >= 0 ? rule.boost(near[e]) : 0.0f;
  return boosts;
}

template <class Z>
const float* floors_of(const Z& z, const RowRule& rule, PatternView likely, int threads) {
  if (likely.rows != z.rows() || rule.keep == 0) return nullptr;
  const int64_t n = z.rows(), pairs = likely.nnz();
  float* s = scratch.s.grow(pairs);
  edge_dot_forward(s, likely, z, threads);
  float* lengths = scratch.lengths.grow(n);
  for_row_ranges(n, numbers(z), threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) lengths[i] = length(numbers_of(z, i));
  });
  const Listed listed{likely, s, boosts_of(likely, rule, threads), lengths};
  float* floors = scratch.floors.grow(n);
  for_row_ranges(n, pairs, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      floors[i] = first_floor(listed, rule, i, numbers_of(z, i).count);
    }
  });
  return floors;
}

}  // namespace

const float* first_floors(const ZDense<float>& z, const RowRule& rule, PatternView likely,
                          int threads) {
  return floors_of(z, rule, likely, threads);
}

const float* first_floors(const ZSparse<float>& z, const RowRule& rule, PatternView likely,
                          int threads) {
  return floors_of(z, rule, likely, threads);
}

}  // namespace glgnn::cpu
