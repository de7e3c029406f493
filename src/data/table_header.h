// The first line of a table: the names of its columns and what the user says about them.
#pragma once

#include <glgnn/table.h>

#include <cstdint>
#include <string>
#include <vector>

#include "data/column_profile.h"
#include "data/data.h"
#include "data/message.h"

namespace glgnn {

struct TableHeader {
  std::vector<std::string> names;  // of all columns
  int64_t label = -1;
  int64_t id = -1;
  bool id_is_guess = false;        // a first column without a name
  std::vector<ColumnWish> wishes;  // one for each column

  bool is_feature(size_t column) const {
    return static_cast<int64_t>(column) != label && static_cast<int64_t>(column) != id;
  }
};

// Checks the names and finds the columns that the options name. A first column without a name is a
// guess for the id, or left out.
TableHeader read_header(std::vector<std::string> names, const LoadOptions& options,
                        const Place& place, std::vector<std::string>& notes);

// The column of that name; kUsage, naming `option` and the nearest names, where there is none.
int64_t find_column(const std::vector<std::string>& names, const std::string& name,
                    const std::string& option, const Place& place);

// Whether the first line may name the columns: it has no numbers, or such that are names. A file
// without a header would silently lose its first row.
bool is_header(const std::vector<std::string>& names);
void check_is_header(const std::vector<std::string>& names, const Place& place);
// Throws where names are empty (but the first) or repeated.
void check_names(const std::vector<std::string>& names, const Place& place);

// Throws: there is nothing below the header.
[[noreturn]] void refuse_no_rows(const Place& place);

// Throws where a row has not as many fields as the header.
void check_row_length(size_t fields, size_t columns, const Place& place);

// What became of a table's columns, in words.

// One sentence for each kind of column that is not simply a number.
void note_columns(const TablePlan& plan, std::vector<std::string>& notes);
// Columns of numbers that are left out because float32 does not tell them apart; or empty.
std::string note_of_close_numbers(const TablePlan& plan, bool of_file);

// What becomes of one column, in a few words: "3 features", "left out: text".
std::string column_fate(const TableColumn& column);

// A number, day or time of a column, as it would stand in the table: "12.5", "2024-05-17", "19:14".
std::string value_text(const TableColumn& column, double value);
// With four digits, more where they are in front of the point: 0.1235, 61623.
std::string short_number(double value);

// A number without the digits that float32 has not kept of it.
double kept_number(const TableColumn& column, double value);

// Throws kData where no column tells rows apart, and says what the columns are.
void check_has_features(const TablePlan& plan, const Place& place);

}  // namespace glgnn
