#include "core/validate.h"

#include <glgnn/error.h>

#include <cmath>

namespace glgnn {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& found,
                         const std::string& expected) {
  throw Error(ErrorKind::kData, what + ": found " + found + ", expected " + expected);
}

std::string text_of(int64_t low, int64_t high) {
  return std::to_string(low) + " to " + std::to_string(high);
}

template <class T>
void check_all_finite(const std::string& what, std::span<const T> numbers) {
  for (const T number : numbers) {
    if (!std::isfinite(number)) refuse(what, std::to_string(number), "a finite number");
  }
}

void check_shape(const std::string& what, const Matrix& matrix, int64_t rows, int64_t cols) {
  if (matrix.rows() == rows && matrix.cols() == cols) return;
  refuse(what, std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols()) + " numbers",
         std::to_string(rows) + " x " + std::to_string(cols));
}

std::span<const float> numbers_of(const Matrix& matrix) {
  return {matrix.data(), static_cast<size_t>(matrix.size())};
}

}  // namespace

void check_range(const std::string& what, int64_t found, int64_t low, int64_t high) {
  if (found < low || found > high) refuse(what, std::to_string(found), text_of(low, high));
}

void check_count(const std::string& what, int64_t found, int64_t expected) {
  if (found != expected) refuse(what, std::to_string(found), std::to_string(expected));
}

void check_indices(const std::string& what, std::span<const int32_t> indices, int64_t low,
                   int64_t high) {
  for (const int32_t index : indices) check_range(what, index, low, high);
}

void check_number(const std::string& what, double found, double low, double high) {
  if (std::isfinite(found) && found >= low && found <= high) return;
  refuse(what, std::to_string(found),
         "a number from " + std::to_string(low) + " to " + std::to_string(high));
}

void check_finite(const std::string& what, std::span<const float> numbers) {
  check_all_finite(what, numbers);
}

void check_finite(const std::string& what, std::span<const double> numbers) {
  check_all_finite(what, numbers);
}

void check_matrix(const std::string& what, const Matrix& matrix, int64_t rows, int64_t cols) {
  check_shape(what, matrix, rows, cols);
  check_finite(what, numbers_of(matrix));
}

void check_probabilities(const std::string& what, const Matrix& matrix, int64_t rows,
                         int64_t cols) {
  check_shape(what, matrix, rows, cols);
  constexpr float kRounding = 1e-3f;
  for (const float p : numbers_of(matrix)) {
    if (!(p >= -kRounding && p <= 1 + kRounding)) {
      refuse(what, std::to_string(p), "a probability from 0 to 1");
    }
  }
}

void check_pattern(const std::string& what, const Pattern& pattern) {
  const auto entries = static_cast<int64_t>(pattern.col.size());
  const auto starts = static_cast<int64_t>(pattern.row_ptr.size());
  if (pattern.rows < 0 || pattern.cols < 0 || starts < 1 || starts - 1 != pattern.rows) {
    refuse(what,
           std::to_string(pattern.rows) + " rows, " + std::to_string(pattern.cols) +
               " columns and " + std::to_string(starts) + " starts of rows",
           "counts that are not negative, and one start more than rows");
  }
  if (pattern.row_ptr.front() != 0 || pattern.row_ptr.back() != entries) {
    refuse(what,
           "rows that begin at " + std::to_string(pattern.row_ptr.front()) + " and end at " +
               std::to_string(pattern.row_ptr.back()),
           text_of(0, entries));
  }
  for (int64_t i = 0; i < pattern.rows; ++i) {
    const int64_t begin = pattern.row_ptr[i], end = pattern.row_ptr[i + 1];
    const auto row = [&] { return what + ", row " + std::to_string(i); };
    if (end < begin || end > entries) {
      refuse(row(), "the end " + std::to_string(end), text_of(begin, entries));
    }
    int64_t last = -1;
    for (int64_t e = begin; e < end; ++e) {
      const int64_t column = pattern.col[e];
      if (column < 0 || column >= pattern.cols) {
        refuse(row(), "column " + std::to_string(column), text_of(0, pattern.cols - 1));
      }
      if (column <= last) {
        refuse(row(), "column " + std::to_string(column) + " after " + std::to_string(last),
               "columns that ascend");
      }
      last = column;
    }
  }
}

void check_csr(const std::string& what, const Csr& csr) {
  check_pattern(what, *csr.pattern);
  check_count(what + ", values", static_cast<int64_t>(csr.values.size()), csr.nnz());
  check_finite(what + ", values", csr.values);
}

void check_csr(const std::string& what, const Csr& csr, int64_t rows, int64_t cols) {
  check_csr(what, csr);
  check_count(what + ", rows", csr.rows(), rows);
  check_count(what + ", columns", csr.cols(), cols);
}

}  // namespace glgnn
