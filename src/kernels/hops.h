// Hop weights: which pairs are near in a graph, and the weight h_ij of each pair.
//
// hop_shells  the pairs (i, j), j != i, by their distance from i along the graph: 1..K, or K + 1
// for
//             all that are farther or cannot be reached, and for i itself
// hop_powers  the pairs with a non-zero entry in A^1 .. A^K, with those entries as K coefficients
// The pairs of the most frequent kind are not stored: usually those of distance K + 1, and those of
// distance K in a graph whose rows nearly all meet in K steps, as one with a few hubs does. With
// weights v [K + 1]:
//   h_e = v[distance_e - 1]  or  h_e = sum_l coefficient_el v[l];   v[unlisted] for all others
// hop_gather  the weight of each kept pair: h of the listed pair it is, or v[unlisted]
//   backward  d_v from d_h of the kept pairs alone: only they have a gradient
// Cost: the sum over rows of the pairs within reach, in order. Up to 16384 rows the search keeps a
// bit for each pair (32 MB at the most), above that only lists.
#pragma once

#include <glgnn/csr.h>

#include <cstdint>
#include <vector>

namespace glgnn {

struct HopPairs {
  Pattern near;                     // the listed pairs, columns ascending; no rows: no graph yet
  int64_t hops = 0;                 // K
  int64_t unlisted = 0;             // the place in v of the pairs that are not listed: K, or K - 1
  std::vector<uint8_t> distance;    // shells: 1..K + 1 for each listed pair
  std::vector<float> coefficients;  // powers: K numbers for each near pair
};

// `room` is a result that is not needed any more: its memory is used again.
HopPairs hop_shells(PatternView graph, int64_t hops, int threads, HopPairs room = {});
HopPairs hop_powers(PatternView graph, const float* values, int64_t hops);

// For each entry of `kept`: the entry of `near` with the same row and column, or -1.
void find_near(int64_t* near_of_kept, PatternView kept, PatternView near, int threads);

namespace ref {

template <class T>
void hop_weights(T* h, const HopPairs& pairs, const T* v);
// t += log h: the order of S + log h is the order of P * h.
template <class T>
void add_logs(T* t, const T* h, int64_t n);
template <class T>
void hop_gather_forward(T* h_kept, const int64_t* near_of_kept, int64_t kept, const HopPairs& pairs,
                        const T* v);
template <class T>
void hop_gather_backward(T* d_v, const T* d_h_kept, const int64_t* near_of_kept, int64_t kept,
                         const HopPairs& pairs);

}  // namespace ref

namespace cpu {

void hop_gather_forward(float* h_kept, const int64_t* near_of_kept, int64_t kept,
                        const HopPairs& pairs, const float* v, int threads);
void hop_gather_backward(float* d_v, const float* d_h_kept, const int64_t* near_of_kept,
                         int64_t kept, const HopPairs& pairs, int threads);

}  // namespace cpu
}  // namespace glgnn
