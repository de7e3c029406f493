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
#pragma once

#include <glgnn/csr.h>

#include <cstdint>
#include <vector>

namespace glgnn {

inline constexpr int64_t kMarkedColumns = 48;  // a panel of rows: cpu/graph_learn/blocks.h

// The marks of one row: level d is words d * stride and following.
struct RowMarks {
  const uint64_t* words = nullptr;
  int64_t stride = 0;
};

class HopShells {
 public:
  HopShells() = default;  // no graph yet
  HopShells(SharedPattern graph, int64_t hops);

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
  bool symmetric_ = true;
  std::vector<uint32_t> places_;     // of each entry's column: its word times 64, and its bit
  std::vector<int32_t> hub_of_;      // of each row: its number among the hubs, or -1
  std::vector<uint64_t> hub_marks_;  // words_ for each hub
};

}  // namespace glgnn
