// Choosing neighbours on the device (kernels/graph_learn.h says what is computed).
#pragma once

#include <cstdint>

#include "core/cuda/runtime.cuh"
#include "kernels/cuda/packed_rows.cuh"

namespace glgnn::cuda {

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
  static constexpr int kMostLevels = 8;
  const uint32_t* marks = nullptr;  // null: there are none
  int levels = 0, words = 0;
  float gain[kMostLevels] = {};  // to the score of a column whose first level this is
};

struct ChooseRule {
  int k = 0;
  bool diagonal = false, positive_only = false;
  NearScores near = {};
  HopMarks hops = {};  // not together with near pairs, a bias or positive_only
  // Taken from every similarity of its column; null: nothing. Not together with the log-sum-exp,
  // near pairs or positive_only.
  const float* column_bias = nullptr;
};

// The bytes that choose() takes on the device beside the packed rows and its results.
int64_t choose_bytes(const DeviceRows& z, const ChooseRule& rule);

// The rows that choose: some of z's own from a whole block on, or others, which are no columns.
struct Choosing {
  const PackedRows& rows;
  int64_t first, count;
};

// All on the device. col: rows x k, the first count[i] of row i are filled, ascending; lse: a
// number for each row, or null.
void choose(int32_t* col, int64_t* count, float* lse, const Choosing& who, const PackedRows& z,
            const ChooseRule& rule);
inline void choose(int32_t* col, int64_t* count, float* lse, const PackedRows& z,
                   const ChooseRule& rule) {
  choose(col, count, lse, {z, 0, z.rows}, z, rule);
}

}  // namespace glgnn::cuda
