// Every op of the model: checks shapes, calls a kernel, records its backward. No arithmetic here;
// the mathematics is in docs/math.md and in the headers of src/kernels.
#pragma once

#include <glgnn/dataset.h>

#include <memory>
#include <span>
#include <vector>

#include "core/rng.h"
#include "kernels/edges.h"
#include "kernels/graph_learn.h"
#include "kernels/graph_norm.h"
#include "kernels/hops.h"
#include "ops/pattern_work.h"
#include "ops/tape.h"

namespace glgnn {

class Propagation;

// The rows to be compared: dense (values N x D), sparse (values nnz x 1 on a pattern), or selected
// (dense [labels, values * s], which is not kept in memory).
struct RowsVar {
  Var values;
  SharedPattern pattern;                       // null: not sparse
  std::shared_ptr<const Transpose> by_column;  // of the pattern
  Var s = {}, labels = {};                     // no values: not selected
  bool is_sparse() const { return pattern != nullptr; }
  bool is_selected() const { return s.value != nullptr; }
  int64_t rows() const { return is_sparse() ? pattern->rows : values.rows(); }
};

// Z = [labels, X * s].
RowsVar feature_select(Tape& tape, Var x, Var s, Var labels);
// The same without keeping Z, for the graph's choice and dots alone; x has no gradient.
RowsVar selected_rows(Var x, Var s, Var labels);
// The same on a pattern whose first label_cols columns are labels (kernels/edges.h).
RowsVar feature_select(Tape& tape, SharedPattern pattern,
                       std::shared_ptr<const Transpose> by_column, Var xl, Var s,
                       int64_t label_cols);
// [labels, x].
Var concat_labels(Tape& tape, Var labels, Var x);
// Rows of length `scale`.
RowsVar unit_rows(Tape& tape, RowsVar rows, float scale);
// All numbers times a constant.
Var scale(Tape& tape, Var x, float factor);

// The chosen pairs, and the log-sum-exp of each row's similarities (N x 1; no value if not wanted).
struct Choice {
  SharedPattern pattern;
  Var lse;
};
Choice graph_learn_choose(Tape& tape, const RowsVar& z, const HopPairs* hops, Var hop_weights,
                          const ChooseOptions& options, bool wants_lse);
// The choice anew for the rows of the groups only, given that `before` was chosen when the pairs
// within a group were less similar and everything else as now: nothing else can enter. All other
// rows stay.
SharedPattern rechoose_groups(Tape& tape, const RowsVar& z, const HopPairs& hops, Var hop_weights,
                              const ChooseOptions& options, const Pattern& before,
                              std::span<const std::vector<int32_t>> groups);
// k neighbours of each row, drawn without replacement, a pair's chance being that of P * h.
SharedPattern sample_neighbours(Tape& tape, const RowsVar& z, const HopPairs& hops, Var hop_weights,
                                const ChooseOptions& options, const Rng& rng);
// Z_i . Z_j on the pairs of a pattern. `work`, here and below, is what is known of the pattern, if
// it is kept.
Var edge_dot(Tape& tape, SharedPattern pattern, const RowsVar& z,
             std::shared_ptr<PatternWork> work = nullptr);
// exp(s - lse): softmax over all pairs.
Var edge_exp(Tape& tape, SharedPattern pattern, Var s, Var lse);
// Softmax over the pairs of each row.
Var edge_softmax(Tape& tape, SharedPattern pattern, Var s);
// The hop weight of each kept pair.
Var hop_gather(Tape& tape, SharedPattern kept, const HopPairs& hops, Var weights,
               std::shared_ptr<PatternWork> work = nullptr);

// Rows scaled to a sum or to a largest entry.
SparseVar row_scale(Tape& tape, SparseVar a, const RowScale& form);
// D^-1/2 (A + I) D^-1/2.
SparseVar gcn_norm(Tape& tape, SparseVar a);
// The same of A joined with its transpose: the mean of both or the larger. `fill_others` where
// other processes own rows.
SparseVar symmetric_norm(Tape& tape, SparseVar a, SymmetricForm form,
                         const cpu::FillOthers& fill_others = {});

// A x.
Var spmm(Tape& tape, SparseVar a, Var x);
// x w.
Var linear(Tape& tape, Var x, Var w);
// drop(x) w for x without gradient; drop(x) is not kept. Here and in dropout() `first_row` says
// where among all rows those of x are, a multiple of 4.
Var dropout_linear(Tape& tape, Var x, Var w, float rate, const Rng& rng, int64_t first_row = 0);
// X w for sparse X without gradient; by_column is X's transpose.
Var sparse_linear(Tape& tape, const Pattern& pattern, const Transpose& by_column, Var x_values,
                  Var w);

// drop(relu(drop(x) w1 + b1)) w2 + b2 for dense x without gradient, b1 and b2 being one row;
// `input` and `inner` say which numbers of x and which hidden units are dropped.
Var two_layers(Tape& tape, Var x, Var w1, Var b1, Var w2, Var b2, float rate, const Rng& input,
               const Rng& inner);

// x + b, b being one row.
Var add_bias(Tape& tape, Var x, Var b);
// Propagation of h over a constant graph; `over` must outlive the pass.
Var propagate(Tape& tape, const Propagation& over, Var h, int64_t steps, double alpha);

Var relu(Tape& tape, Var x);
Var softplus(Tape& tape, Var x);
Var multiply(Tape& tape, Var a, Var b);
// Row i times s_i; s has as many numbers as x has rows.
Var scale_rows(Tape& tape, Var x, Var s);
// All numbers times the one number b.
Var scale_all(Tape& tape, Var x, Var b);
Var dropout(Tape& tape, Var x, float rate, const Rng& rng, int64_t first_row = 0);
Var row_softmax(Tape& tape, Var x);

// How much the modules agree, (U x U), and their weighted sum by row `row` of a matrix of weights.
Var network_alpha(Tape& tape, std::span<const Var> x, Var a);
Var network_mix(Tape& tape, std::span<const Var> x, Var weights, int64_t row);

// Losses return their value and put `weight` times their gradient on the tape.
double cross_entropy(Tape& tape, Var logits, std::span<const int32_t> rows,
                     std::span<const int32_t> labels, float weight);
double sparse_l1(Tape& tape, const SparseVar& a, const SparseVar& b, float weight);
double sum_squares(Tape& tape, Var x, float weight);
// Against constant soft targets (N x C); weights holds one number a row. All must outlive the pass.
double soft_cross_entropy(Tape& tape, Var logits, const Matrix& targets, const Matrix& weights,
                          float weight);
// The cross-entropy of weight 1, and `consistency` times the mean squared distance of the softmax
// to its sharpened form, which is constant: gradients alone, no value.
void soft_pull(Tape& tape, Var logits, const Matrix& targets, const Matrix& weights,
               float consistency);

}  // namespace glgnn
