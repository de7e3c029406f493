// Numbers of pairs of rows from numbers of rows, as products with constant sparse matrices: their
// gradients come with spmm.
#pragma once

#include <glgnn/csr.h>

#include <memory>
#include <utility>
#include <vector>

#include "ops/ops.h"

namespace glgnn {

using RowPairs = std::vector<std::pair<int32_t, int32_t>>;

// Row e of the product with h is at_first h_i + at_second h_j for pair e = (i, j).
class PairRows {
 public:
  PairRows(const RowPairs& pairs, int64_t rows, float at_first, float at_second);

  Var times(Tape& tape, Var h) const;

 private:
  SharedPattern pattern_;
  std::shared_ptr<const Transpose> transposed_;
  Matrix values_;
};

// u_i . v_j of each pair (i, j).
Var pair_products(Tape& tape, const RowPairs& pairs, Var u, Var v);

// `weight` times the mean of log(1 + exp(x)) - t x: x says how sure the answer 1 is, t is 0 or 1.
void logistic_loss(Tape& tape, Var x, const std::vector<float>& targets, double weight);

// a + b
Var add(Tape& tape, Var a, Var b);
// 1 - x
Var one_minus(Tape& tape, Var x);
// x where it is above 0, 0.2 x elsewhere.
Var leaky_relu(Tape& tape, Var x);

}  // namespace glgnn
