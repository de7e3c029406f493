// What cases are made of: numbers and patterns, the same on every machine.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <vector>

namespace glgnn::op_check {

// n numbers between low and high; every number made here is a float.
std::vector<double> uniform(uint64_t seed, int64_t n, double low = -1, double high = 1);

// n numbers of either sign, between 0.1 and 1 in size.
std::vector<double> away_from_zero(uint64_t seed, int64_t n);

// n whole numbers low .. high: their sums of products are exact in any order.
std::vector<double> whole_numbers(uint64_t seed, int64_t n, int64_t low, int64_t high);

// Sets row `to` of `values`, rows of `cols` numbers, to row `from`.
void copy_row(std::vector<double>& values, int64_t cols, int64_t to, int64_t from);

// About per_row entries in each row; rows 3, 8, 13, ... have none.
SharedPattern random_pattern(uint64_t seed, int64_t rows, int64_t cols, int64_t per_row);

// The same without the diagonal.
SharedPattern random_graph(uint64_t seed, int64_t n, int64_t per_row);

// No entry at all.
SharedPattern empty_pattern(int64_t rows, int64_t cols);

// Every entry.
SharedPattern full_pattern(int64_t rows, int64_t cols);

// Values for a pattern, 0.2 .. 0.4 or 0.6 .. 0.9: entries (i, j) of side 0 and side 1 never lie in
// the same range, and nor do (i, j) and (j, i) of one side unless i = j.
std::vector<double> apart(uint64_t seed, PatternView pattern, int side);

// row_ptr of a dense matrix.
std::vector<int64_t> dense_row_ptr(int64_t rows, int64_t cols);

// Where (i, j) is in the pattern, or -1; by looking at every entry of the row.
int64_t find_entry(PatternView pattern, int64_t i, int64_t j);

template <class T>
MatView<T> view(std::vector<T>& values, int64_t rows, int64_t cols) {
  return {values.data(), rows, cols};
}

template <class T>
MatView<const T> view(const std::vector<T>& values, int64_t rows, int64_t cols) {
  return {values.data(), rows, cols};
}

}  // namespace glgnn::op_check
