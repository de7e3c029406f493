// What comes from a file or from a caller's arrays is checked here before it is used as a place in
// memory. Each check throws kData with the part's name, what was found and what was expected.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <span>
#include <string>

namespace glgnn {

// A count, a number of neighbours, ...: low <= found <= high.
void check_range(const std::string& what, int64_t found, int64_t low, int64_t high);
// A count that another part has said already.
void check_count(const std::string& what, int64_t found, int64_t expected);
// Row numbers, classes, ...: each one low <= index <= high.
void check_indices(const std::string& what, std::span<const int32_t> indices, int64_t low,
                   int64_t high);
// Neither infinite nor NaN, and in this range.
void check_number(const std::string& what, double found, double low, double high);
void check_finite(const std::string& what, std::span<const float> numbers);
void check_finite(const std::string& what, std::span<const double> numbers);
// One of the values 0 .. last of an enum.
template <class Enum>
void check_enum(const std::string& what, Enum found, Enum last) {
  check_range(what, static_cast<int64_t>(found), 0, static_cast<int64_t>(last));
}

// rows x cols finite numbers.
void check_matrix(const std::string& what, const Matrix& matrix, int64_t rows, int64_t cols);
// The same, each from 0 to 1 but for rounding.
void check_probabilities(const std::string& what, const Matrix& matrix, int64_t rows, int64_t cols);

// Rows that lie one after the other, with columns that exist and ascend in each of them.
void check_pattern(const std::string& what, const Pattern& pattern);
// The same, with as many finite values.
void check_csr(const std::string& what, const Csr& csr);
// The same, of this shape.
void check_csr(const std::string& what, const Csr& csr, int64_t rows, int64_t cols);

}  // namespace glgnn
