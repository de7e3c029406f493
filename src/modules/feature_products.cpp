#include "modules/feature_products.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/rng.h"
#include "kernels/dense.h"
#include "kernels/edges.h"
#include "modules/comparison.h"
#include "modules/eigen.h"
#include "modules/row_graph.h"

namespace glgnn {

void feature_times(Matrix& y, const Features& x, const Matrix& v, int threads) {
  if (x.is_sparse) {
    cpu::spmm_forward(y.view(), x.sparse.pattern->view(), x.sparse.values.data(), v.view(),
                      threads);
  } else {
    cpu::gemm(y.view(), x.dense.view(), v.view(), {}, threads);
  }
}

FeatureProducts::FeatureProducts(const Features& x, int threads) : x_(x), threads_(threads) {
  if (x.is_sparse) by_column_ = transpose(x.sparse.pattern->view());
}

void FeatureProducts::transposed_times(Matrix& v, const Matrix& y) const {
  if (x_.is_sparse) {
    v.fill(0.0f);
    cpu::spmm_backward_x(v.view(), by_column_.view(), x_.sparse.values.data(), y.view(), threads_);
  } else {
    cpu::gemm(v.view(), x_.dense.view(), y.view(), {.transpose_a = true}, threads_);
  }
}

namespace {

using Dense = RowMajor<double>;

Eigen::Map<RowMajor<float>> map(Matrix& m) { return {m.data(), m.rows(), m.cols()}; }

// Columns made orthonormal.
void orthonormalise(Matrix& m) {
  const Dense q = map(m).cast<double>();
  const Dense thin = q.householderQr().householderQ() * Dense::Identity(q.rows(), q.cols());
  map(m) = thin.cast<float>();
}

// The same by Cholesky's factor of m^T m, twice, and by pieces of rows: many times as fast beside a
// device that waits for it.
void orthonormalise(Matrix& m, int most_threads) {
  constexpr int kWorthwhile = 8;   // threads
  constexpr int64_t kRows = 64;    // of a piece
  constexpr double kLeast = 1e-6;  // of the largest pivot: below, columns depend on each other
  const int threads = std::min(most_threads, kWorthwhile);
  Dense q = map(m).cast<double>();
  std::vector<Eigen::MatrixXd> parts((q.rows() + kRows - 1) / kRows);
  for (int pass = 0; pass < 2; ++pass) {
    for_fixed_pieces(q.rows(), kRows, threads, [&](int64_t piece, int64_t first, int64_t last) {
      const auto rows = q.middleRows(first, last - first);
      parts[piece] = rows.transpose() * rows;
    });
    Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(q.cols(), q.cols());
    for (const Eigen::MatrixXd& part : parts) squares += part;
    const Eigen::LLT<Eigen::MatrixXd> factor(squares);
    const Eigen::VectorXd pivots = Eigen::MatrixXd(factor.matrixL()).diagonal();
    const bool is_sound =
        factor.info() == Eigen::Success && pivots.minCoeff() > kLeast * pivots.maxCoeff();
    if (!is_sound) return orthonormalise(m);
    const Eigen::MatrixXd turn =
        factor.matrixU().solve(Eigen::MatrixXd::Identity(q.cols(), q.cols()));
    for_fixed_pieces(q.rows(), kRows, threads, [&](int64_t, int64_t first, int64_t last) {
      q.middleRows(first, last - first) = (q.middleRows(first, last - first) * turn).eval();
    });
  }
  map(m) = q.cast<float>();
}

constexpr int kSteps = 8;

// y^T y = W D W^T: the columns of y W are U S, largest last. A direction has two signs: of v W the
// largest number is above 0, so that rounding does not choose.
Dense turn_of(const Eigen::MatrixXd& squares, int64_t kept, Matrix& v) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(squares);
  Dense turn = eigen.eigenvectors().rightCols(kept).rowwise().reverse();
  const Dense directions = map(v).cast<double>() * turn;
  for (int64_t c = 0; c < kept; ++c) {
    Eigen::Index largest = 0;
    directions.col(c).cwiseAbs().maxCoeff(&largest);
    if (directions(largest, c) < 0) turn.col(c) *= -1;
  }
  return turn;
}

Matrix turned(Matrix& v, const Dense& turn) {
  Matrix out(v.rows(), turn.cols());
  map(out) = (map(v).cast<double>() * turn).cast<float>();
  return out;
}

// What both start from: more columns than are kept, for speed of convergence.
Matrix start_of(int64_t rows, int64_t cols, int64_t kept) {
  Matrix v(cols, std::min({kept + 10, cols, rows}));
  const Rng rng{.seed = 1, .stream = Stream::kDirections};
  for (int64_t e = 0; e < v.size(); ++e) v.data()[e] = rng.normal(static_cast<uint64_t>(e));
  return v;
}

}  // namespace

Directions leading_directions(const cuda::HeldMatrix& x, int64_t r, int threads) {
  const int64_t kept = std::min({r, x.cols(), x.rows()});
  Matrix v = start_of(x.rows(), x.cols(), kept);
  for (int step = 0; step < kSteps; ++step) {
    orthonormalise(v, threads);
    v = x.transposed_times(x.times(std::as_const(v).view()));
  }
  orthonormalise(v, threads);
  const cuda::HeldMatrix y = x.times(std::as_const(v).view());
  Matrix squares = y.transposed_times(y);
  const Dense turn = turn_of(map(squares).cast<double>(), kept, v);
  const Matrix factor = to_matrix(turn);
  cuda::HeldMatrix scores = y.times(factor.view());
  Matrix on_host = scores.to_host();
  return {std::move(on_host), turned(v, turn), std::move(scores)};
}

Directions leading_directions(const Features& x, int64_t r, int threads) {
  const int64_t kept = std::min({r, x.cols(), x.rows()});
  Matrix v = start_of(x.rows(), x.cols(), kept);
  Matrix y(x.rows(), v.cols());
  const FeatureProducts products(x, threads);
  for (int step = 0; step < kSteps; ++step) {
    orthonormalise(v);
    products.times(y, v);
    products.transposed_times(v, y);
  }
  orthonormalise(v);
  products.times(y, v);
  const Dense all = map(y).cast<double>();
  const Dense turn = turn_of(all.transpose() * all, kept, v);
  Directions out{Matrix(x.rows(), kept), turned(v, turn), {}};
  map(out.scores) = (all * turn).cast<float>();
  return out;
}

namespace {

// The columns as rows; of dense ones also the opposite of each, after all of them.
Features turned(const Features& x, Opposite opposite) {
  Features out;
  out.is_sparse = x.is_sparse;
  if (x.is_sparse) {
    Transpose columns = transpose(x.sparse.pattern->view());
    for (const int64_t e : columns.source) out.sparse.values.push_back(x.sparse.values[e]);
    out.sparse.pattern = std::make_shared<Pattern>(std::move(columns.pattern));
    return out;
  }
  const bool twice = opposite == Opposite::kAlike;
  out.dense = Matrix(x.cols() * (twice ? 2 : 1), x.rows());
  for (int64_t i = 0; i < x.rows(); ++i) {
    for (int64_t f = 0; f < x.cols(); ++f) {
      out.dense[f][i] = x.dense[i][f];
      if (twice) out.dense[x.cols() + f][i] = -x.dense[i][f];
    }
  }
  return out;
}

}  // namespace

Csr alike_columns(const Features& x, Opposite opposite, const Context& context) {
  constexpr int64_t kAlike = 5;
  const Features columns = turned(x, opposite);
  const ComparedView view(columns);
  const std::vector<float> all_alike(static_cast<size_t>(x.rows()), 1.0f);
  const Matrix no_labels;
  const Comparison compared(view, all_alike, no_labels, ComparisonOptions{.unit = true}, context);
  const NearestRows nearest = rank_nearest(columns, false, std::min(kAlike, x.cols() - 1), context);
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = pattern->cols = x.cols();
  Csr out;
  for (int64_t f = 0; f < x.cols(); ++f) {
    const auto first = nearest.col.begin() + f * nearest.wide;
    std::vector<std::pair<int64_t, float>> others;
    for (const int64_t other : std::span(first, first + nearest.count[f])) {
      const auto cosine = static_cast<float>(compared.similarity(columns, f, other));
      const bool is_opposite = other >= x.cols();
      others.emplace_back(is_opposite ? other - x.cols() : other, is_opposite ? -cosine : cosine);
    }
    std::ranges::sort(others);
    for (const auto& [other, cosine] : others) {
      pattern->col.push_back(static_cast<int32_t>(other));
      out.values.push_back(cosine);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  out.pattern = std::move(pattern);
  return out;
}

namespace {

void hear_dense(Matrix& y, const Matrix& x, const Csr& heard, const std::vector<float>& scale,
                int threads) {
  const MatView<float> out = y.view();
  const Pattern& pattern = *heard.pattern;
  for_row_ranges(x.rows(), 12 * x.size(), threads, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      for (int64_t f = 0; f < x.cols(); ++f) {
        float sum = x[i][f];
        for (int64_t e = pattern.row_ptr[f]; e < pattern.row_ptr[f + 1]; ++e) {
          sum += heard.values[e] * x[i][pattern.col[e]];
        }
        out[i][f] = scale[f] * sum;
      }
    }
  });
}

Csr hear_sparse(const Csr& x, const Csr& heard, const std::vector<float>& scale) {
  const Transpose hearers = transpose(heard.pattern->view());
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = x.rows();
  pattern->cols = x.cols();
  Csr out;
  std::map<int32_t, float> row;
  for (int64_t i = 0; i < x.rows(); ++i) {
    row.clear();
    for (int64_t e = x.pattern->row_ptr[i]; e < x.pattern->row_ptr[i + 1]; ++e) {
      const int32_t g = x.pattern->col[e];
      row[g] += x.values[e];
      for (int64_t h = hearers.pattern.row_ptr[g]; h < hearers.pattern.row_ptr[g + 1]; ++h) {
        row[hearers.pattern.col[h]] += heard.values[hearers.source[h]] * x.values[e];
      }
    }
    for (const auto& [f, sum] : row) {
      pattern->col.push_back(f);
      out.values.push_back(scale[f] * sum);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  out.pattern = std::move(pattern);
  return out;
}

}  // namespace

Features with_heard(const Features& x, const Csr& heard, int threads) {
  std::vector<float> scale;
  for (int64_t f = 0; f < x.cols(); ++f) {
    float all = 1;
    for (int64_t e = heard.pattern->row_ptr[f]; e < heard.pattern->row_ptr[f + 1]; ++e) {
      all += std::abs(heard.values[e]);
    }
    scale.push_back(1 / all);
  }
  Features out;
  out.is_sparse = x.is_sparse;
  out.indicators = x.indicators;
  if (x.is_sparse) {
    out.sparse = hear_sparse(x.sparse, heard, scale);
  } else {
    out.dense = Matrix(x.rows(), x.cols());
    hear_dense(out.dense, x.dense, heard, scale, threads);
  }
  return out;
}

}  // namespace glgnn
