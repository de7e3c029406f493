#include "methods/pair_rows.h"

#include <algorithm>
#include <cmath>

#include "methods/network.h"

namespace glgnn {
namespace {

Var weighted_sum(Tape& tape, Var a, float of_a, Var b, float of_b) {
  Matrix weights(1, 2);
  weights[0][0] = of_a;
  weights[0][1] = of_b;
  const Var both[] = {a, b};
  return network_mix(tape, both, Tape::constant(tape.keep(std::move(weights))), 0);
}

}  // namespace

PairRows::PairRows(const RowPairs& pairs, int64_t rows, float at_first, float at_second) {
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = std::ssize(pairs);
  pattern->cols = rows;
  std::vector<float> values;
  const auto put = [&](int32_t row, float value) {
    if (value == 0) return;
    pattern->col.push_back(row);
    values.push_back(value);
  };
  for (const auto& [i, j] : pairs) {
    if (i == j) {
      put(i, at_first + at_second);
    } else {
      put(std::min(i, j), i < j ? at_first : at_second);
      put(std::max(i, j), i < j ? at_second : at_first);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  values_ = Matrix(std::ssize(values), 1);
  std::copy(values.begin(), values.end(), values_.data());
  transposed_ = std::make_shared<Transpose>(transpose(pattern->view()));
  pattern_ = std::move(pattern);
}

Var PairRows::times(Tape& tape, Var h) const {
  return spmm(tape, {pattern_, Tape::constant(values_), transposed_}, h);
}

Var pair_products(Tape& tape, const RowPairs& pairs, Var u, Var v) {
  const PairRows& first = tape.keep(PairRows(pairs, u.rows(), 1.0f, 0.0f));
  const PairRows& second = tape.keep(PairRows(pairs, v.rows(), 0.0f, 1.0f));
  const Matrix& ones = tape.keep(Matrix(u.cols(), 1, 1.0f));
  return linear(tape, multiply(tape, first.times(tape, u), second.times(tape, v)),
                Tape::constant(ones));
}

void logistic_loss(Tape& tape, Var x, const std::vector<float>& targets, double weight) {
  Matrix gradient(x.rows(), 1);
  const double each = weight / static_cast<double>(x.rows());
  for (int64_t e = 0; e < x.rows(); ++e) {
    gradient.data()[e] =
        static_cast<float>(each * (1 / (1 + std::exp(-double{x.data()[e]})) - targets[e]));
  }
  add_gradient(tape, x, std::move(gradient));
}

Var add(Tape& tape, Var a, Var b) { return weighted_sum(tape, a, 1, b, 1); }

Var one_minus(Tape& tape, Var x) {
  const Matrix& ones = tape.keep(Matrix(x.rows(), x.cols(), 1.0f));
  return weighted_sum(tape, Tape::constant(ones), 1, x, -1);
}

Var leaky_relu(Tape& tape, Var x) { return weighted_sum(tape, x, 0.2f, relu(tape, x), 0.8f); }

}  // namespace glgnn
