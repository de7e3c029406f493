// The graph of the nearest rows, and propagation over it, where rows are owned by ranks. A rank has
// the edges of its own rows; of other ranks' rows it gets those alone that its edges lead to. Sums
// run over the neighbours in their order, so that the bits are those of one process.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <vector>

#include "dist/all_pairs.h"
#include "dist/ranks.h"
#include "train/rows_over_ranks.h"

namespace glgnn {

// Rows of others that a rank needs again and again.
class RowsFromOthers {
 public:
  // `wanted` are the numbers of rows that others own, ascending. Every rank makes one.
  RowsFromOthers(std::vector<int32_t> wanted, int64_t all_rows, Ranks& ranks);

  int64_t count() const { return static_cast<int64_t>(wanted_.size()); }
  const std::vector<int32_t>& numbers() const { return wanted_; }
  // The first `width` numbers of the wanted rows, from the own rows of every rank; rows are
  // `stride` numbers apart.
  void get(float* wanted, const float* own, int64_t width, int64_t stride);
  int64_t bytes_sent() const { return bytes_sent_; }

 private:
  Ranks& ranks_;
  std::vector<int32_t> wanted_;
  std::vector<std::vector<int32_t>> given_;  // own rows (from 0) that each rank wants
  int64_t bytes_sent_ = 0;
};

// The own rows of S = D^-1/2 (A + I) D^-1/2, with A the mean of both directions of the neighbours
// (modules/row_graph.h).
class GraphOverRanks {
 public:
  GraphOverRanks(const OwnNeighbours& found, int64_t all_rows, Ranks& ranks);

  // z_0 = h, z_{t+1} = (1 - alpha) S z_t + alpha h for own rows (kernels/propagate.h).
  Matrix propagate(const Matrix& h, int64_t steps, float alpha, int threads);

  // What a module of spread labels (modules/spread.h) says of own rows; `classes` are those of all
  // rows, -1 where it is not known. A row that no label reaches has all classes alike.
  Matrix spread_labels(const std::vector<int64_t>& classes, int threads);

  const Csr& own() const { return s_; }  // columns: own rows from 0, then those of others
  const RowsFromOthers& others() const { return others_; }

 private:
  RowRange range_;
  Csr s_;
  RowsFromOthers others_;
};

}  // namespace glgnn
