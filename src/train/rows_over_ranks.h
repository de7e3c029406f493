// Work on rows that are owned by ranks: no process has all of them (kernels/rows_apart.h says what
// is computed, dist/all_pairs.h who computes it).
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dist/all_pairs.h"
#include "dist/ranks.h"
#include "kernels/rows_apart.h"

namespace glgnn {

// The neighbours of a rank's own rows.
struct OwnNeighbours {
  int64_t wide = 0;            // min(k, rows of all ranks - 1)
  std::vector<int32_t> col;    // own rows x wide, the best first
  std::vector<float> t;        // of each, as the kernels define it
  std::vector<int64_t> count;  // how many of them a row has
  std::vector<float> lse;      // of each row; empty where it is not wanted
  PairCosts costs;
};

// Every rank calls it with its rows, rows_of_rank(options.all_rows, ...). The neighbours are those
// that one process finds; lse is summed in an order that depends on the number of ranks.
OwnNeighbours choose_over_ranks(MatView<const float> own, const ApartOptions& options, int threads,
                                Ranks& ranks);

// d_z += the gradient of the own rows, from that of every row's lse; lse and d_lse are of own rows.
// Summed in an order that depends on the number of ranks.
PairCosts lse_backward_over_ranks(MatView<float> d_z, const float* d_lse, MatView<const float> own,
                                  const float* lse, int64_t all_rows, int threads, Ranks& ranks);

// The rows with these numbers among all, on every rank.
Matrix rows_by_number(const Matrix& own, const std::vector<int32_t>& numbers, int64_t all_rows,
                      Ranks& ranks);

// Rows of others that a rank needs again and again.
class RowsFromOthers {
 public:
  // `wanted` are the numbers of rows that others own, ascending. Every rank makes one.
  RowsFromOthers(std::vector<int32_t> wanted, int64_t all_rows, Ranks& ranks);

  int64_t count() const { return static_cast<int64_t>(wanted_.size()); }
  const std::vector<int32_t>& numbers() const { return wanted_; }
  // The first `width` numbers of the wanted rows, from the own rows of every rank; rows are
  // `stride` numbers apart. `gap` rows are left between those of ranks before this one and after.
  void get(float* wanted, const float* own, int64_t width, int64_t stride, int64_t gap = 0);
  // Calls visit(rank, rows) with the wanted rows of one rank after another, this one's being `own`;
  // the next are on their way meanwhile, and no more than two ranks' are held.
  void by_rank(MatView<const float> own,
               const std::function<void(int, MatView<const float>)>& visit);
  // For each own row (from 0) that a rank wants, write(row, letter) adds to its letter; gives what
  // the ranks have written of the wanted rows.
  std::vector<std::string> swap_for_rows(const std::function<void(int64_t, std::string&)>& write);

 private:
  Ranks& ranks_;
  std::vector<int32_t> wanted_;
  std::vector<std::vector<int32_t>> given_;  // own rows (from 0) that each rank wants
};

// The graph of the nearest rows, and propagation over it. A rank has the edges of its own rows; of
// other ranks' rows it gets those alone that its edges lead to. Sums run over the neighbours in
// their order, so that the bits are those of one process.
//
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
