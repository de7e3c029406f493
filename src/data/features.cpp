#include "data/features.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <utility>

#include "core/parallel.h"
#include "core/rows.h"
#include "data/data.h"
#include "data/message.h"

namespace glgnn {
namespace {

constexpr double kSparseBelow = 0.25;  // part of non-zeros
// Chance that a feature is not zero in both of two rows, above which dense rows are faster: the
// features of images are few of the numbers, but nearly the same in all rows.
constexpr double kSharedBelow = 0.05;

bool same_column(const Matrix& m, int64_t a, int64_t b) {
  for (int64_t i = 0; i < m.rows(); ++i) {
    if (m[i][a] != m[i][b]) return false;
  }
  return true;
}

bool is_constant(const Matrix& m, int64_t column) {
  for (int64_t i = 1; i < m.rows(); ++i) {
    if (m[i][column] != m[0][column]) return false;
  }
  return true;
}

}  // namespace

void SparseBuilder::add_and_clear(MatView<float> row) {
  std::vector<SparseEntry> entries;
  for (int32_t f = 0; f < row.cols; ++f) {
    if (row.data[f] != 0) entries.push_back({f, std::exchange(row.data[f], 0.0f)});
  }
  add(entries);
}

void SparseBuilder::add(std::vector<SparseEntry>& row) {
  std::stable_sort(row.begin(), row.end(),
                   [](const SparseEntry& a, const SparseEntry& b) { return a.column < b.column; });
  for (size_t i = 0; i < row.size();) {
    const int32_t column = row[i].column;
    float sum = 0.0f;
    for (; i < row.size() && row[i].column == column; ++i) sum += row[i].value;
    if (sum == 0.0f) continue;
    pattern_.col.push_back(column);
    values_.push_back(sum);
  }
  pattern_.row_ptr.push_back(pattern_.nnz());
  ++pattern_.rows;
}

Features SparseBuilder::take() {
  Features features;
  features.is_sparse = true;
  features.sparse.pattern = std::make_shared<Pattern>(std::move(pattern_));
  features.sparse.values = std::move(values_);
  return features;
}

std::vector<std::string> numbered_names(int64_t count) {
  std::vector<std::string> names;
  for (int64_t j = 0; j < count; ++j) names.push_back("f" + std::to_string(j));
  return names;
}

void make_sparse(Features& features) {
  if (features.is_sparse) return;
  const Matrix& dense = features.dense;
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = dense.rows();
  pattern->cols = dense.cols();
  std::vector<float> values;
  for (int64_t i = 0; i < dense.rows(); ++i) {
    for (int64_t j = 0; j < dense.cols(); ++j) {
      if (dense[i][j] == 0.0f) continue;
      pattern->col.push_back(static_cast<int32_t>(j));
      values.push_back(dense[i][j]);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  features.sparse = {std::move(pattern), std::move(values)};
  features.dense = Matrix();
  features.is_sparse = true;
}

void make_dense(Features& features) {
  if (!features.is_sparse) return;
  const Pattern& pattern = *features.sparse.pattern;
  Matrix dense(pattern.rows, pattern.cols);
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      dense[i][pattern.col[e]] = features.sparse.values[e];
    }
  }
  features.dense = std::move(dense);
  features.sparse = Csr();
  features.is_sparse = false;
}

void sparsify(Dataset& dataset, int threads) {
  Features& features = dataset.features;
  if (features.is_sparse || features.dense.empty()) return;
  const Matrix& dense = features.dense;
  const std::vector<int32_t> numbers = number_columns(features);
  constexpr int64_t kRows = 4096;  // of a piece
  std::atomic<bool> has_negative = false;
  std::vector<std::vector<int64_t>> of_piece((dense.rows() + kRows - 1) / kRows);
  for_fixed_pieces(dense.rows(), kRows, threads, [&](int64_t piece, int64_t first, int64_t last) {
    std::vector<int64_t>& used = of_piece[piece];
    used.assign(numbers.size(), 0);
    for (int64_t i = first; i < last && !has_negative; ++i) {
      for (size_t j = 0; j < numbers.size(); ++j) {
        const float value = dense[i][numbers[j]];
        if (value < 0.0f) has_negative = true;
        used[j] += value != 0.0f;
      }
    }
  });
  if (numbers.empty() || has_negative) return;
  std::vector<int64_t> used(numbers.size(), 0);
  for (const std::vector<int64_t>& more : of_piece) {
    for (size_t j = 0; j < numbers.size(); ++j) used[j] += more[j];
  }
  const double rows = static_cast<double>(dense.rows()),
               columns = static_cast<double>(numbers.size());
  double part = 0, shared = 0;
  for (const int64_t in_rows : used) {
    const double count = static_cast<double>(in_rows);
    part += count / rows / columns;
    shared += count * (count - 1) / (rows * (rows - 1)) / columns;
  }
  if (part >= kSparseBelow || shared >= kSharedBelow) return;
  make_sparse(features);
  dataset.notes.push_back("only " + std::to_string(std::lround(100.0 * part)) +
                          " % of the numbers are not zero: the features are kept sparse");
}

void densify(Features& features) {
  if (!features.is_sparse) return;
  const double size = static_cast<double>(features.rows()) * static_cast<double>(features.cols());
  if (static_cast<double>(features.sparse.nnz()) >= kSparseBelow * size) make_dense(features);
}

namespace {

std::vector<int64_t> columns_used(const TablePlan& plan) {
  std::vector<int64_t> used;
  for (size_t j = 0; j < plan.columns.size(); ++j) {
    if (plan.columns[j].is_used()) used.push_back(static_cast<int64_t>(j));
  }
  return used;
}

// Row by row.
void copy_columns(float* to, const Matrix& from, const std::vector<int64_t>& columns, int threads) {
  const int64_t width = std::ssize(columns);
  for_row_ranges(from.rows(), from.rows() * width, threads, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const float* const row = from[i];
      for (int64_t f = 0; f < width; ++f) to[i * width + f] = row[columns[f]];
    }
  });
}

}  // namespace

void note_close_columns(Dataset& dataset, const std::vector<Rounding>& rounding) {
  std::vector<std::string> close;
  for (size_t j = 0; j < rounding.size(); ++j) {
    if (rounding[j].is_much()) close.push_back(dataset.feature_names[j]);
  }
  if (close.empty()) return;
  dataset.notes.push_back(
      counted(std::ssize(close), "column") + (close.size() == 1 ? " has" : " have") +
      " numbers that float32 rounds to a few or to one: " + listed(close) +
      "; subtract the smallest number of such a column first, or give the rows as a table");
}

void leave_out_constant_columns(Dataset& dataset, int threads,
                                const std::vector<Rounding>& rounding) {
  const Matrix& dense = dataset.features.dense;
  std::vector<TableColumn> columns;
  std::vector<std::string> constant, kept;
  for (int64_t j = 0; j < dense.cols(); ++j) {
    TableColumn& column = columns.emplace_back();
    column.name = dataset.feature_names[j];
    if (is_constant(dense, j)) column.kind = ColumnKind::kConstant;
    const bool is_noted = j < std::ssize(rounding) && rounding[j].is_much();
    if (column.is_used()) {
      kept.push_back(column.name);
    } else if (!is_noted) {
      constant.push_back(column.name);
    }
  }
  if (!constant.empty()) {
    const bool is_one = constant.size() == 1;
    const std::string left_out = is_one ? " and is left out" : " and are left out";
    dataset.notes.push_back(counted(std::ssize(constant), "column") + (is_one ? " has" : " have") +
                            " the same value in every row" + (kept.empty() ? "" : left_out) + ": " +
                            listed(constant));
  }
  if (kept.size() == columns.size() || kept.empty()) return;
  dataset.plan.columns = std::move(columns);
  const std::vector<int64_t> used = columns_used(dataset.plan);
  const int64_t rows = dense.rows(), width = std::ssize(used);
  const std::shared_ptr<float[]> numbers = std::make_shared_for_overwrite<float[]>(rows * width);
  copy_columns(numbers.get(), dense, used, threads);
  dataset.features.dense = Matrix::share({numbers, numbers.get()}, rows, width);
  dataset.feature_names = kept;
  dataset.plan.feature_names = std::move(kept);
}

bool is_of_array(const TablePlan& plan) {
  const auto used = std::find_if(plan.columns.begin(), plan.columns.end(),
                                 [](const TableColumn& column) { return column.is_used(); });
  return used != plan.columns.end() && used->distinct == 0;
}

int64_t array_columns(const TablePlan& plan) {
  return static_cast<int64_t>(is_of_array(plan) ? plan.columns.size() : plan.feature_names.size());
}

Features used_columns(Features rows, const TablePlan& plan, const std::string& what) {
  if (const int64_t wanted = array_columns(plan); rows.cols() != wanted) {
    fail(ErrorKind::kData, {what},
         {"another number of columns", counted(rows.cols(), "column"),
          std::to_string(wanted) + ", as the model was fitted on",
          "give the same columns in the same order"});
  }
  if (!is_of_array(plan)) return rows;
  const bool was_sparse = rows.is_sparse;
  make_dense(rows);
  const std::vector<int64_t> kept = columns_used(plan);
  Features used;
  used.dense = Matrix(rows.rows(), std::ssize(kept));
  copy_columns(used.dense.data(), rows.dense, kept, 1);
  if (was_sparse) make_sparse(used);
  return used;
}

void check_repeated_columns(Dataset& dataset, int threads) {
  const Matrix& dense = dataset.features.dense;
  constexpr int64_t kAtOnce = 64;  // columns of a thread, so that it reads whole lines of the cache
  // A hash per column, filled row by row because that is how the matrix lies in memory.
  std::vector<uint64_t> hash(static_cast<size_t>(dense.cols()), 14695981039346656037u);
  for_fixed_pieces(dense.cols(), kAtOnce, threads, [&](int64_t, int64_t first, int64_t last) {
    for (int64_t i = 0; i < dense.rows(); ++i) {
      for (int64_t j = first; j < last; ++j) {
        const float value = dense[i][j] + 0.0f;  // -0 is 0
        hash[j] = (hash[j] ^ std::bit_cast<uint32_t>(value)) * 1099511628211u;
      }
    }
  });
  std::unordered_map<uint64_t, int64_t> first;
  std::vector<std::string> repeated;
  for (int64_t j = 0; j < dense.cols(); ++j) {
    const auto [found, is_new] = first.emplace(hash[j], j);
    if (is_new || is_constant(dense, j) || !same_column(dense, found->second, j)) continue;
    repeated.push_back(dataset.feature_names[j] + " = " + dataset.feature_names[found->second]);
  }
  if (repeated.empty()) return;
  dataset.notes.push_back(counted(static_cast<int64_t>(repeated.size()), "column") +
                          (repeated.size() == 1 ? " repeats" : " repeat") +
                          " another one, which then counts twice: " + listed(repeated));
}

}  // namespace glgnn
