// Rows of a table: a few of many, their columns, how much each counts, a random order.
#pragma once

#include <glgnn/dataset.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/rng.h"

namespace glgnn {

// A few rows of many, and which columns belong together.

// Rows `begin` .. `end` - 1 of features, copied.
Features rows_of(const Features& features, int64_t begin, int64_t end);

// All of so many rows, or `most` of them at equal distances.
std::vector<int32_t> spaced_rows(int64_t rows, int64_t most);

// One number of a row; 0 where sparse features have none.
float number_at(const Features& features, int64_t row, int64_t column);

// The columns that are numbers: all but the indicators.
std::vector<int32_t> number_columns(const Features& features);

// The number of the table's column that each column was made of, from 0: indicators of one block
// share theirs.
std::vector<int32_t> origin_of_columns(const Features& features);

// How an indicator is scaled: minus its mean, divided by its spread.
struct IndicatorScale {
  int64_t column;
  double mean, spread;
};

// What has the weight of one number: a column of categories, or each of its levels.
enum class OneWeight { kColumn, kLevel };

// The indicators of one column lie around their means; each is divided by the root of its share, so
// that rows of the same rare level are closer than those of a common one, and of the number of
// levels, so that together they have this variance, however many they are (as in factor analysis of
// mixed data). What is rarer than 1 in 10 counts less: else its few rows would be far from all
// others.
std::vector<IndicatorScale> indicator_scales(const std::vector<IndicatorBlock>& blocks,
                                             const Matrix& x, double variance,
                                             OneWeight one = OneWeight::kColumn);

// How much rows count where every class is to count alike.

// |rows| / (classes with rows * rows of the class), so that the rows' weights have mean 1; 0 for a
// class without rows.
std::vector<double> balanced_class_weights(std::span<const int32_t> labels,
                                           std::span<const int32_t> rows, int64_t classes);

// Rows in a random order that depends on nothing but the generator.

// A row's place does not depend on the place it came in.
inline std::vector<int32_t> shuffled_rows(std::vector<int32_t> rows, const Rng& rng) {
  std::vector<std::pair<uint64_t, int32_t>> keyed;
  for (const int32_t row : rows) {
    const auto bits = rng.block(static_cast<uint64_t>(row));
    keyed.emplace_back(static_cast<uint64_t>(bits[0]) << 32 | bits[1], row);
  }
  std::sort(keyed.begin(), keyed.end());
  for (size_t r = 0; r < rows.size(); ++r) rows[r] = keyed[r].second;
  return rows;
}

// All of them as they come, or so many drawn at random.
inline std::vector<int32_t> some_rows(std::vector<int32_t> rows, int64_t most, const Rng& rng) {
  if (std::ssize(rows) <= most) return rows;
  rows = shuffled_rows(std::move(rows), rng);
  rows.resize(static_cast<size_t>(most));
  return rows;
}

}  // namespace glgnn
