// Rows of a model and fields of a table, as text.
#pragma once

#include <glgnn/model.h>

#include <cstdint>
#include <string>

namespace glgnn {

// The id of a row; its number where the data have no ids.
std::string row_id(const Model& model, int64_t row);

// A field of a CSV file, in quotes where it needs them.
std::string csv_field(const std::string& text);

}  // namespace glgnn
