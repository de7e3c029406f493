// A few rows of many, and which columns belong together.
#pragma once

#include <glgnn/dataset.h>

#include <cstdint>
#include <vector>

namespace glgnn {

// Rows `begin` .. `end` - 1 of features, copied.
Features rows_of(const Features& features, int64_t begin, int64_t end);

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

// The indicators of one column lie around their means; each is divided by the root of its share, so
// that rows of the same rare level are closer than those of a common one, and of the number of
// levels, so that together they have this variance, however many they are (as in factor analysis of
// mixed data). What is rarer than 1 in 10 counts less: else its few rows would be far from all
// others.
std::vector<IndicatorScale> indicator_scales(const std::vector<IndicatorBlock>& blocks,
                                             const Matrix& x, double variance);

}  // namespace glgnn
