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

struct ChooseRule {
  int k = 0;
  bool diagonal = false, positive_only = false;
  NearScores near = {};
  // Taken from every similarity of its column; null: nothing. Not together with the log-sum-exp,
  // near pairs or positive_only.
  const float* column_bias = nullptr;
};

// The bytes that choose() takes on the device beside the packed rows and its results.
int64_t choose_bytes(const DeviceRows& z, const ChooseRule& rule);

// All on the device. col: N x k, the first count[i] of row i are filled, ascending; lse: N, or
// null.
void choose(int32_t* col, int64_t* count, float* lse, const PackedRows& z, const ChooseRule& rule);

}  // namespace glgnn::cuda
