// Work on features while a dataset is read: sparse or dense, constant and repeated columns.
#pragma once

#include <glgnn/dataset.h>

#include <string>
#include <vector>

#include "data/npz.h"
#include "data/values.h"

namespace glgnn {

struct SparseEntry {
  int32_t column;
  float value;
};

// Sparse features, row by row.
class SparseBuilder {
 public:
  explicit SparseBuilder(int64_t columns) { pattern_.cols = columns; }

  // Columns are sorted, repeated entries added, zeros dropped. Puts `row` into order.
  void add(std::vector<SparseEntry>& row);
  // One row of numbers, which becomes zero.
  void add_and_clear(MatView<float> row);

  int64_t rows() const { return pattern_.rows; }
  Features take();

 private:
  Pattern pattern_;
  std::vector<float> values_;
};

// The matrix that SciPy's save_npz has stored in a .npz: by rows (indptr, indices, data and shape),
// by columns, or as coordinates. Columns are sorted, repeated entries added, zeros dropped.
// sparse_npz.cpp
Features read_sparse_npz(const Npz& npz);

// "f0", "f1", …: names for columns that have none.
std::vector<std::string> numbered_names(int64_t count);

// Makes features sparse that have no negative number and less than a quarter of non-zeros.
void sparsify(Dataset& dataset, int threads = 1);

// Makes sparse features dense of which a quarter or more is not zero.
void densify(Features& features);

// Notes the columns of an array that float32 has rounded much.
void note_close_columns(Dataset& dataset, const std::vector<Rounding>& rounding);

// Leaves out the columns of an array with one value in all rows, unless all are such; the plan then
// lists the columns (features must be dense). Of those that note_close_columns() names it says
// nothing.
void leave_out_constant_columns(Dataset& dataset, int threads = 1,
                                const std::vector<Rounding>& rounding = {});

// Whether the columns of a plan are those of an array, of which some are left out: nobody has
// counted their values.
bool is_of_array(const TablePlan& plan);

// How many columns arrays of new rows have.
int64_t array_columns(const TablePlan& plan);

// Rows of an array, with the columns alone that are features. Throws kData where they are not
// array_columns() wide; `what` are they.
Features used_columns(Features rows, const TablePlan& plan, const std::string& what);

// Notes the columns that repeat another one (features must be dense).
void check_repeated_columns(Dataset& dataset, int threads = 1);

}  // namespace glgnn
