// Hop weights: the weight h_ij of each pair of rows, by how far apart they are in a graph.
//
// Shells (hop_shells.h): h_ij = v[distance - 1], distance 1..K + 1.
// Powers: the pairs with a non-zero entry in A^1 .. A^K are near, with those entries as K
//   coefficients: h_ij = sum_l coefficient_l v[l]; v[K] for all others.
// hop_shares  for each kept pair K + 1 numbers c with h = sum_l c_l v[l]
// hop_gather  h of the kept pairs; backward d_v from d_h: only kept pairs have a gradient
#pragma once

#include <glgnn/csr.h>

#include <cstdint>
#include <vector>

#include "kernels/hop_shells.h"

namespace glgnn {

struct HopPairs {
  int64_t hops = 0;                 // K
  HopShells shells;                 // of shells
  Pattern near;                     // of powers: the near pairs, columns ascending
  std::vector<float> coefficients;  // K numbers for each

  bool has_graph() const { return shells.rows() > 0 || near.rows > 0; }
};

HopPairs hop_shells(SharedPattern graph, int64_t hops);
HopPairs hop_powers(PatternView graph, const float* values, int64_t hops);

// For each entry of `kept`: the entry of `near` with the same row and column, or -1.
void find_near(int64_t* near_of_kept, PatternView kept, PatternView near, int threads);

void hop_shares(float* shares, PatternView kept, const HopPairs& pairs, int threads);

namespace ref {

// h of the near pairs of powers.
template <class T>
void hop_weights(T* h, const HopPairs& pairs, const T* v);
// t += log h: the order of S + log h is the order of P * h.
template <class T>
void add_logs(T* t, const T* h, int64_t n);
// `weights` is K + 1.
template <class T>
void hop_gather_forward(T* h_kept, const float* shares, int64_t kept, const T* v, int64_t weights);
template <class T>
void hop_gather_backward(T* d_v, const T* d_h_kept, const float* shares, int64_t kept,
                         int64_t weights);

}  // namespace ref

namespace cpu {

void hop_gather_forward(float* h_kept, const float* shares, int64_t kept, const float* v,
                        int64_t weights, int threads);
void hop_gather_backward(float* d_v, const float* d_h_kept, const float* shares, int64_t kept,
                         int64_t weights, int threads);

}  // namespace cpu
}  // namespace glgnn
