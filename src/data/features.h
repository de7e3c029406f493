// Work on features while a dataset is read: sparse or dense, constant and repeated columns.
#pragma once

#include <glgnn/dataset.h>

#include <string>
#include <vector>

#include "data/npz.h"

namespace glgnn {

// The matrix stored in a .npz as indptr, indices, data and shape (as SciPy's save_npz does).
// Columns are sorted, repeated entries added, zeros dropped.
Features read_csr(const Npz& npz);

// "f0", "f1", …: names for columns that have none.
std::vector<std::string> numbered_names(int64_t count);

// Makes features sparse that have no negative number and less than a quarter of non-zeros.
void sparsify(Dataset& dataset);

// Notes the columns with one value in all rows, and drops them if asked to (features must be
// dense).
void check_constant_columns(Dataset& dataset, bool drop);

// Notes the columns that repeat another one (features must be dense).
void check_repeated_columns(Dataset& dataset);

}  // namespace glgnn
