// How far apart rows are in a graph, and the weights that follow from it.
#pragma once

#include <glgnn/csr.h>

#include <cstdint>
#include <vector>

namespace glgnn {

// Distances between the rows of a graph, found where they are asked for: the pairs within two steps
// of each other may be half of all pairs (a graph joined with its transpose has hubs), so they are
// never listed.
//
// From i to j: the fewest steps along the graph, 1..K; K + 1 for all that are farther or cannot be
// reached, and for i itself. They are told as marks, a bit for each column, kMarkedColumns to a
// word, level d = 0..K - 1 having the columns within d + 1 steps; or pair by pair.
// Memory: the graph's entries once more, and the marks of its hubs, the rows with more entries than
// half the words of a row: fewer than two words for each entry of the graph.
// Cost: of a row's marks at most the words of a row for each of its neighbours (K = 2).

inline constexpr int64_t kMarkedColumns = 48;  // a panel of rows: cpu/graph_learn/blocks.h

// The marks of one row: level d is words d * stride and following.
struct RowMarks {
  const uint64_t* words = nullptr;
  int64_t stride = 0;
};

class HopShells {
 public:
  HopShells() = default;  // no graph yet
  // `knows_all`: whether the graph has all rows. Else it is taken for symmetric, and a row can be
  // asked for if it and its neighbours have their entries (two hops at the most).
  HopShells(SharedPattern graph, int64_t hops, bool knows_all = true);

  int64_t rows() const { return graph_ ? graph_->rows : 0; }
  int64_t hops() const { return hops_; }
  const Pattern& graph() const { return *graph_; }
  // Whether i is as far from j as j from i.
  bool is_symmetric() const { return symmetric_; }
  // Of one level of a row's marks.
  int64_t words() const { return words_; }
  // The marks of all rows, where they are few enough to be held during a search; else none are.
  static int64_t search_bytes(int64_t rows, int64_t hops) {
    constexpr int64_t kMost = int64_t{64} << 20;
    const int64_t words = (rows + kMarkedColumns - 1) / kMarkedColumns;
    const int64_t bytes = rows * hops * words * static_cast<int64_t>(sizeof(uint64_t));
    return bytes <= kMost ? bytes : 0;
  }
  // Numbers that are held beside the graph.
  int64_t stored() const {
    return static_cast<int64_t>(places_.size() + hub_of_.size() + hub_marks_.size());
  }

  // The marks of row i in `count` words from word `first` on; `room` has hops() * words() words.
  RowMarks marks(int64_t i, int64_t first, int64_t count, uint64_t* room) const;

  // The distance of each listed pair.
  void distances(uint8_t* of_pairs, PatternView pairs, int threads) const;

 private:
  void add_row(uint64_t* to, int64_t m, int64_t first, int64_t count) const;
  void mark_all(int64_t i, uint64_t* room) const;
  bool meet(int64_t i, int64_t j, const uint64_t* marks_of_i) const;
  void row_distances(uint8_t* out, const PatternView& pairs, int64_t i, uint64_t* room) const;

  SharedPattern graph_;
  int64_t hops_ = 0;
  int64_t words_ = 0;
  bool knows_all_ = true, symmetric_ = true;
  std::vector<uint32_t> places_;     // of each entry's column: its word times 64, and its bit
  std::vector<int32_t> hub_of_;      // of each row: its number among the hubs, or -1
  std::vector<uint64_t> hub_marks_;  // words_ for each hub
};

// Hop weights: the weight h_ij of each pair of rows, by how far apart they are in a graph.
//
// Shells (HopShells): h_ij = v[distance - 1], distance 1..K + 1.
// Powers: the pairs with a non-zero entry in A^1 .. A^K are near, with those entries as K
//   coefficients: h_ij = sum_l coefficient_l v[l]; v[K] for all others.
// hop_shares  for each kept pair K + 1 numbers c with h = sum_l c_l v[l]
// hop_gather  h of the kept pairs; backward d_v from d_h: only kept pairs have a gradient

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
