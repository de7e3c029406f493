// Choosing neighbours on the device, the hops that weigh them, and the gradient of the log-sum-exp
// (kernels/graph_learn.h and kernels/hops.h say what is computed).
#pragma once

#include <cstdint>
#include <initializer_list>

#include "core/cuda/runtime.cuh"
#include "kernels/cuda/packed_rows.cuh"
#include "kernels/hops.h"

namespace glgnn::cuda {

// The first place of low .. high - 1 whose number is not below `value`, or high; they ascend.
template <class Number, class Place, class Value>
__device__ Place first_not_below(const Number* numbers, Place low, Place high, Value value) {
  while (low < high) {
    const Place middle = (low + high) / 2;
    if (numbers[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Pairs whose score is not their similarity alone: by rows, columns ascending, with the score of
// each; -infinity: may not be chosen.
struct NearScores {
  const int64_t* row_ptr = nullptr;  // null: there are none
  const int32_t* col = nullptr;
  const float* score = nullptr;
};

// How far columns are from the rows that choose, by steps along a graph: a bit for each column,
// row r's level d (the columns within d + 1 steps) being words (r levels + d) words and following.
struct HopMarks {
  const uint32_t* marks = nullptr;  // null: there are none
  int levels = 0, words = 0;
  // To the score of a column whose first level this is; then the largest of them, at least 0. On
  // the device.
  const float* gain = nullptr;

  // The first level of row r that has the column; `levels`: none.
  __device__ int level(int64_t r, int column) const {
    const uint32_t* of_row = marks + r * levels * words;
    int d = 0;
    while (d < levels && !(of_row[d * words + column / 32] >> column % 32 & 1)) ++d;
    return d;
  }
};

struct ChooseRule {
  int k = 0;
  bool diagonal = false, positive_only = false;
  NearScores near = {};
  HopMarks hops = {};  // not together with near pairs, a bias or positive_only
  // Taken from every similarity of its column; null: nothing. Not together with the log-sum-exp,
  // near pairs or positive_only.
  const float* column_bias = nullptr;
  // By the leading halves of all numbers alone, which of rows of length 1 errs by kRoughError at
  // the most, in a third of the time. In tiles and of several slabs alone; with no more than k.
  bool rough = false;
};

// Both numbers of a product are rounded to 11 bits.
inline constexpr float kRoughError = 1.1e-3f;

// The bytes that choose() takes on the device beside the packed rows and its results.
int64_t choose_bytes(const DeviceRows& z, const ChooseRule& rule);

// The rows that choose: some of z's own from a whole block on, or others, which are no columns.
struct Choosing {
  const PackedRows& rows;
  int64_t first, count;
};

// Where choose() works: enough for any of these numbers of rows that choose among those of z.
struct ChooseRoom {
  DeviceArray<uint64_t> candidates, best;
  DeviceArray<int> held;
  DeviceArray<float> top;
  DeviceArray<double> sum;

  ChooseRoom(std::initializer_list<int64_t> rows, const PackedRows& z, int k, bool wants_lse,
             bool rough = false);
};

// All on the device. col: rows x k, the first count[i] of row i are filled, ascending; lse: a
// number for each row, or null.
void choose(int32_t* col, int64_t* count, float* lse, const Choosing& who, const PackedRows& z,
            const ChooseRule& rule, const ChooseRoom& room);
inline void choose(int32_t* col, int64_t* count, float* lse, const Choosing& who,
                   const PackedRows& z, const ChooseRule& rule) {
  choose(col, count, lse, who, z, rule,
         ChooseRoom({who.count}, z, rule.k, lse != nullptr, rule.rough));
}
inline void choose(int32_t* col, int64_t* count, float* lse, const PackedRows& z,
                   const ChooseRule& rule) {
  choose(col, count, lse, {z, 0, z.rows}, z, rule);
}

// A graph on the device: its rows by row_ptr, or, where that is null, in k slots of which the first
// count are filled; and by_column, where given, has the rows that have row i as a column.
struct HopGraph {
  const int64_t* row_ptr = nullptr;
  const int32_t* col = nullptr;
  const int64_t* count = nullptr;
  int64_t k = 0;
  const int32_t *by_column_ptr = nullptr, *by_column = nullptr;
};

// Room for the marks of some rows at a time.
class HopRoom {
 public:
  HopRoom(int64_t rows, int64_t levels);

  // How many rows are marked together, a whole number of blocks for any kernel that chooses.
  int64_t rows_at_once() const { return rows_at_once_; }
  static int64_t bytes(int64_t rows, int64_t levels);

  // Of rows first .. first + count - 1, or of those in list[first ..], until the next call; `gain`
  // as HopMarks has it.
  HopMarks mark(const HopGraph& graph, const float* gain, int64_t first, int64_t count,
                const int32_t* list = nullptr) const;

 private:
  int64_t rows_at_once_;
  int levels_, words_;
  DeviceArray<uint32_t> marks_;
};

// The hops of a graph that the host has.
class DeviceHops {
 public:
  // h_of_shell: hops() + 1 weights, the last of all other pairs.
  DeviceHops(const HopShells& shells, const float* h_of_shell);

  int64_t rows_at_once() const { return room_.rows_at_once(); }
  static int64_t bytes(const HopShells& shells);
  HopMarks mark(int64_t first, int64_t count) const;

 private:
  HopRoom room_;
  DeviceArray<int64_t> row_ptr_;
  DeviceArray<int32_t> col_;
  DeviceArray<float> gain_;
};

// The bytes that lse_backward() takes on the device beside the packed rows.
int64_t lse_backward_bytes(const DeviceRows& z);

// All on the device. d_z: the gradient of the dense numbers or of the sparse values, added to.
void lse_backward(float* d_z, const float* d_lse, const DeviceRows& z, const PackedRows& packed,
                  const float* lse, bool diagonal);

}  // namespace glgnn::cuda
