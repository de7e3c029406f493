// The chosen pairs of rows that ranks own, and the ops of paper mode on them.
//
// A rank has the edges of its own rows and those of other ranks' rows that lead to its own. The
// rows at the other ends ("others") stand before and after own rows, in the order of all rows: so
// the kernels of one process work on them, and their sums run in the order of one process. What own
// rows need of others is fetched: values before a product, gradients before its backward. What the
// kernels make of others' rows is not whole, and not read.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "dist/ranks.h"
#include "kernels/edges.h"
#include "kernels/hops.h"
#include "ops/ops.h"
#include "train/rows_over_ranks.h"

namespace glgnn {

class EdgesOverRanks {
 public:
  // Every rank makes one of the neighbours of its rows.
  EdgesOverRanks(const OwnNeighbours& found, int64_t all_rows, Ranks& ranks);

  // Of own rows alone: rows from 0, columns by places.
  const SharedPattern& own() const { return own_; }
  // With the edges from others to own rows: rows and columns by places.
  const SharedPattern& all() const { return all_; }

  int64_t all_rows() const { return all_rows_; }
  const RowRange& range() const { return range_; }  // own rows among all
  int64_t first() const { return first_; }          // the place of the first own row
  int64_t places() const { return std::ssize(numbers_); }
  // The numbers of places among all rows.
  std::vector<int32_t> numbers_of(const std::vector<int32_t>& places) const;
  int64_t first_edge() const { return all_->row_ptr[first_]; }  // of own rows in all()

  // Puts in the numbers of others: `width` for each place.
  void fill_rows(float* of_places, int64_t width);
  // The same with own rows: of all places.
  Matrix with_others(const Matrix& own);
  // Own rows of a pattern of places.
  PatternView own_rows(const Pattern& of_places) const {
    return {range_.size(), of_places.cols, of_places.row_ptr.data() + first_, of_places.col.data()};
  }
  // The same of their edges in all().
  void fill_edges(float* values);

  // The own edges to rows of one rank: columns are those of its rows that are wanted, in order.
  struct ToRank {
    Pattern pattern;
    std::vector<int64_t> edge;     // in own(), of each entry
    std::vector<int32_t> numbers;  // of the columns among all rows
  };
  const std::vector<ToRank>& to_ranks();  // made when first asked for
  RowsFromOthers& others() { return *others_; }

 private:
  int32_t place_of(int32_t number) const;
  void number_places(const Pattern& own, const std::vector<std::vector<int32_t>>& to_own);
  void join_edges(Pattern own, const std::vector<std::vector<int32_t>>& to_own);

  Ranks& ranks_;
  int64_t all_rows_;
  RowRange range_;
  SharedPattern own_, all_;
  std::vector<int32_t> numbers_;  // of all places
  int64_t first_ = 0;
  std::unique_ptr<RowsFromOthers> others_;
  std::vector<std::vector<int64_t>> given_;  // own edges to the rows of each rank
  std::vector<ToRank> to_ranks_;
};
using SharedEdges = std::shared_ptr<EdgesOverRanks>;

// The labels that are shown in a pass: the class of each of all rows, or -1.
struct ShownOverRanks {
  std::vector<int32_t> classes;
  int64_t columns = 0;  // none where no label is shown
  // [0 .. weight .. 0] for each of the rows.
  Matrix rows(const std::vector<int32_t>& numbers, float weight) const;
  Matrix rows(const RowRange& range, float weight) const;
};

// Own edges with those of others.
Var edges_with_others(Tape& tape, const SharedEdges& edges, Var own);

// Z = [labels, x * s] of own rows, for as long as the choice needs it.
Matrix selected_own(const Matrix& x, Var s, const Matrix& labels, int threads);
// Z_i . Z_j of own edges, Z = [labels, x * s] of own rows x; others' features are there for one
// rank at a time. The sums of the gradient run by rank.
Var selected_dot(Tape& tape, const SharedEdges& edges, Var x, Var s, const ShownOverRanks& shown,
                 float label_weight);

// D^-1/2 (A + I) D^-1/2 of A joined with its transpose, and the edges it was made of.
struct NormalisedEdges {
  SharedEdges edges;
  SparseVar graph;  // rows by places, those of others empty; then values of `from_others`:
  SharedPattern from_others;  // the mirrors of own entries whose columns are others' rows
};
// Own rows of a graph, columns by the numbers of all rows.
struct OwnColumns {
  explicit OwnColumns(const NormalisedEdges& of);
  std::vector<int32_t> numbers;
  PatternView view;
};
// `a` has the edges of all().
NormalisedEdges symmetric_norm(Tape& tape, const SharedEdges& edges, Var a);
// Own rows of A x. Here and in edge_dot() others' rows of x are fetched for the product and once
// more for its backward, and not kept.
Var multiply_rows(Tape& tape, const NormalisedEdges& a, Var own_x);
// Z_i . Z_j of the edges of all().
Var edge_dot(Tape& tape, const SharedEdges& edges, Var own_z);

// The sum over own rows of |a - b|.
double sparse_l1(Tape& tape, const NormalisedEdges& a, const NormalisedEdges& b, float weight);

// Own rows of a graph and their neighbours, by the numbers of all rows, all others being empty: how
// far rows are from own rows can be found in it, up to two hops. And the same of a whole graph.
SharedPattern rows_near_own(const NormalisedEdges& graph, Ranks& ranks);
Csr near_rows(const Csr& graph, const RowRange& own);
// Of each own edge (kernels/hops.h).
std::vector<float> hop_shares(const EdgesOverRanks& edges, const HopPairs& hops, int threads);

// Sums over the ranks, in their order: the same bits on each of them.
void sum_over_ranks(float* numbers, int64_t count, Ranks& ranks);
std::vector<double> sum_over_ranks(const std::vector<double>& numbers, Ranks& ranks);
// The same of a value; and a value that is alike on all ranks, whose gradient is the sum.
Var sum_of_ranks(Tape& tape, Var x, Ranks& ranks);
Var alike_on_ranks(Tape& tape, Var x, Ranks& ranks);

}  // namespace glgnn
