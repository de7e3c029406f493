#include "make.h"

#include <algorithm>
#include <memory>

#include "core/rng.h"

namespace glgnn::op_check {
namespace {

// Whether (i, j), i != j, is the larger of its pair: one of (i, j) and (j, i) is.
bool is_larger(uint64_t seed, int64_t i, int64_t j) {
  const int64_t low = std::min(i, j), high = std::max(i, j);
  const bool flip = Rng{.seed = seed, .step = 2}.uniform(low * 4096 + high) < 0.5f;
  return (i < j) != flip;
}

SharedPattern build_pattern(uint64_t seed, int64_t rows, int64_t cols, int64_t per_row,
                            bool diagonal) {
  const Rng rng{.seed = seed, .step = 1};
  const float part = static_cast<float>(per_row) / static_cast<float>(cols);
  auto out = std::make_shared<Pattern>();
  out->rows = rows;
  out->cols = cols;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; i % 5 != 3 && j < cols; ++j) {
      const bool wanted = rng.uniform(i * cols + j) < part && (diagonal || i != j);
      if (wanted) out->col.push_back(static_cast<int32_t>(j));
    }
    out->row_ptr.push_back(out->nnz());
  }
  return out;
}

}  // namespace

std::vector<double> uniform(uint64_t seed, int64_t n, double low, double high) {
  const Rng rng{.seed = seed};
  std::vector<double> out(n);
  for (int64_t i = 0; i < n; ++i) {
    out[i] = static_cast<float>(low + (high - low) * static_cast<double>(rng.uniform(i)));
  }
  return out;
}

std::vector<double> away_from_zero(uint64_t seed, int64_t n) {
  std::vector<double> out = uniform(seed, n, 0.1, 1);
  const Rng sign{.seed = seed, .step = 3};
  for (int64_t i = 0; i < n; ++i) out[i] *= sign.uniform(i) < 0.5f ? -1 : 1;
  return out;
}

std::vector<double> whole_numbers(uint64_t seed, int64_t n, int64_t low, int64_t high) {
  std::vector<double> out = uniform(seed, n, 0, static_cast<double>(high - low + 1));
  for (double& x : out) x = static_cast<double>(low + static_cast<int64_t>(x));
  return out;
}

void copy_row(std::vector<double>& values, int64_t cols, int64_t to, int64_t from) {
  for (int64_t f = 0; f < cols; ++f) values[to * cols + f] = values[from * cols + f];
}

SharedPattern random_pattern(uint64_t seed, int64_t rows, int64_t cols, int64_t per_row) {
  return build_pattern(seed, rows, cols, per_row, true);
}

SharedPattern random_graph(uint64_t seed, int64_t n, int64_t per_row) {
  return build_pattern(seed, n, n, per_row, false);
}

SharedPattern empty_pattern(int64_t rows, int64_t cols) {
  return build_pattern(0, rows, cols, 0, true);
}

SharedPattern full_pattern(int64_t rows, int64_t cols) {
  auto out = std::make_shared<Pattern>();
  out->rows = rows;
  out->cols = cols;
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) out->col.push_back(static_cast<int32_t>(j));
    out->row_ptr.push_back(out->nnz());
  }
  return out;
}

std::vector<double> apart(uint64_t seed, PatternView pattern, int side) {
  std::vector<double> out = uniform(seed + side, pattern.nnz(), 0, 1);
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      const bool large = is_larger(seed, i, pattern.col[e]) != (side == 1);
      out[e] = static_cast<float>(large ? 0.6 + 0.3 * out[e] : 0.2 + 0.2 * out[e]);
    }
  }
  return out;
}

std::vector<int64_t> dense_row_ptr(int64_t rows, int64_t cols) {
  std::vector<int64_t> out(rows + 1);
  for (int64_t i = 0; i <= rows; ++i) out[i] = i * cols;
  return out;
}

int64_t find_entry(PatternView pattern, int64_t i, int64_t j) {
  for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
    if (pattern.col[e] == j) return e;
  }
  return -1;
}

}  // namespace glgnn::op_check
