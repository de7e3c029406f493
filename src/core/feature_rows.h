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

}  // namespace glgnn
