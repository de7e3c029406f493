// What became of a table's columns, in words.
#pragma once

#include <glgnn/table.h>

#include <string>
#include <vector>

#include "data/message.h"

namespace glgnn {

// One sentence for each kind of column that is not simply a number.
void note_columns(const TablePlan& plan, std::vector<std::string>& notes);

// What becomes of one column, in a few words: "3 features", "left out: text".
std::string column_fate(const TableColumn& column);

// Throws kData where no column tells rows apart, and says what the columns are.
void check_has_features(const TablePlan& plan, const Place& place);

}  // namespace glgnn
