// The choice of graph_learn.h and nearest_rows.h where rows are spread over processes and none has
// them all. Each process owns a run of rows. It compares them with each other, and with pieces of
// others' rows that visit it; a pair is computed once, for both of its rows, and what visitors have
// found is sent home. t of a pair has the same bits wherever it is computed, and the order of pairs
// is total: the chosen columns are those of one process. Sums of exponentials run in another order
// than there.
//
// Dense rows. Memory of a process: O(own (k + D)) and a piece.
#pragma once

#include <glgnn/matrix.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/graph_learn.h"

namespace glgnn {

struct ApartOptions {
  int64_t k = 0;
  int64_t all_rows = 0;
  bool by_distance = false;  // as nearest_rows.h; else as graph_learn.h
  bool wants_lse = false;
  bool positive_only = false;
  // Shells of a symmetric graph that know own rows and their neighbours (kernels/hops.h); the first
  // of own rows and of visitors must be a multiple of kMarkedColumns.
  HopWeights<float> hops = {};
};

// What rows found among the rows of another process: at most k for each.
struct FoundAway {
  std::vector<int32_t> count;
  std::vector<int32_t> column;
  std::vector<float> t;
  std::vector<float> top;  // with wants_lse: the sum of exp(S - top)
  std::vector<double> sum;
};

// Rows of a process that come to another.
struct Visitors {
  MatView<const float> z;
  int64_t first;        // the number of the first among all rows
  const float* floors;  // what t must exceed, of each; null: nothing is known
};

namespace cpu {

class OwnRows {
 public:
  // Runs of own rows for `host` begin at multiples of this.
  static constexpr int64_t kStep = 48;

  // `z` are rows first, first + 1, ... of all; it must stay.
  OwnRows(MatView<const float> z, int64_t first, const ApartOptions& options, int threads);
  ~OwnRows();
  OwnRows(const OwnRows&) = delete;
  OwnRows& operator=(const OwnRows&) = delete;

  void compare_own();
  // What t must exceed to be among the best, of each own row.
  std::vector<float> floors();
  // Compares own rows begin .. end - 1 with visitors.
  FoundAway host(const Visitors& visitors, int64_t begin, int64_t end);
  // What own rows from `begin` on have found elsewhere.
  void take(const FoundAway& found, int64_t begin);

  // col, t: own rows x k, the best first, the smaller column of two that are alike; lse may be
  // null.
  void finish(int32_t* col, float* t, int64_t* count, float* lse);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The backward of lse (graph_learn.h), each pair of rows computed once, the diagonal left out. Sums
// run in another order than in one process.
class OwnGradient {
 public:
  // One number of lse and of its gradient for each row.
  OwnGradient(MatView<const float> z, const float* lse, const float* d_lse, int threads);
  ~OwnGradient();
  OwnGradient(const OwnGradient&) = delete;
  OwnGradient& operator=(const OwnGradient&) = delete;

  void compare_own();
  // d_visitors += what visitors get from own rows begin .. end - 1, and these get theirs.
  void host(MatView<float> d_visitors, MatView<const float> visitors, const float* lse,
            const float* d_lse, int64_t begin, int64_t end);
  // What own rows from `begin` on got elsewhere.
  void take(MatView<const float> d_z, int64_t begin);
  // d_z += all of it.
  void finish(MatView<float> d_z);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cpu
}  // namespace glgnn
