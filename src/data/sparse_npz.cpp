// Sparse matrices in .npz files, as scipy.sparse.save_npz writes them.
#include <algorithm>

#include "data/features.h"
#include "data/npz.h"

namespace glgnn {
namespace {

[[noreturn]] void bad_matrix(const Npz& npz, const std::string& wrong, const std::string& found,
                             const std::string& expected) {
  fail(ErrorKind::kData, {npz.path()},
       {wrong, found, expected, "write the matrix again with scipy.sparse.save_npz"});
}

std::string format_of(const Npz& npz) {
  if (!npz.has("format")) return "csr";
  const std::vector<std::string> format = to_texts(npz.read("format"));
  return format.empty() ? "" : format[0];
}

// The entries of a matrix, those of row i at starts[i] .. starts[i + 1] - 1.
struct Entries {
  std::vector<int64_t> starts, columns;
  std::vector<float> values;
};

void check_as_many(const Npz& npz, const std::string& name, size_t numbers, size_t values) {
  if (numbers == values) return;
  bad_matrix(npz, name + " and data do not match",
             std::to_string(numbers) + " and " + std::to_string(values),
             "as many of one as of the other");
}

void check_starts(const Npz& npz, const std::vector<int64_t>& starts, int64_t lines,
                  size_t entries) {
  if (static_cast<int64_t>(starts.size()) == lines + 1 && starts.front() == 0 &&
      starts.back() == static_cast<int64_t>(entries) && std::ranges::is_sorted(starts)) {
    return;
  }
  bad_matrix(npz, "indptr is wrong", counted(static_cast<int64_t>(starts.size()), "number"),
             std::to_string(lines + 1) + " numbers that rise from 0 to " + std::to_string(entries));
}

// The line of each entry, from where the lines start.
std::vector<int64_t> lines_of(const std::vector<int64_t>& starts) {
  std::vector<int64_t> lines;
  for (size_t i = 0; i + 1 < starts.size(); ++i) {
    lines.resize(static_cast<size_t>(starts[i + 1]), static_cast<int64_t>(i));
  }
  return lines;
}

// Entries in any order, row by row.
Entries by_rows(const Npz& npz, const std::vector<int64_t>& rows, const Entries& given,
                int64_t count) {
  check_rows(count, static_cast<int64_t>(rows.size()), {npz.path()});
  Entries out{std::vector<int64_t>(static_cast<size_t>(count) + 1),
              std::vector<int64_t>(rows.size()), std::vector<float>(rows.size())};
  for (const int64_t row : rows) {
    if (row < 0 || row >= count) {
      bad_matrix(npz, "a row that does not exist", std::to_string(row),
                 "rows from 0 to " + std::to_string(count - 1));
    }
    ++out.starts[row + 1];
  }
  for (int64_t i = 0; i < count; ++i) out.starts[i + 1] += out.starts[i];
  std::vector<int64_t> next(out.starts.begin(), out.starts.end() - 1);
  for (size_t e = 0; e < rows.size(); ++e) {
    const int64_t at = next[rows[e]]++;
    out.columns[at] = given.columns[e];
    out.values[at] = given.values[e];
  }
  return out;
}

Entries read_entries(const Npz& npz, const std::vector<int64_t>& shape) {
  const std::string format = format_of(npz);
  if (format != "csr" && format != "csc" && format != "coo") {
    bad_matrix(npz, "a sparse matrix of a kind that is not read", format,
               "the format csr, csc or coo (matrix.tocsr())");
  }
  Entries entries;
  entries.values = to_floats(npz.read("data"));
  if (format == "coo") {
    const std::vector<int64_t> rows = to_integers(npz.read("row"));
    entries.columns = to_integers(npz.read("col"));
    check_as_many(npz, "row", rows.size(), entries.values.size());
    check_as_many(npz, "col", entries.columns.size(), entries.values.size());
    return by_rows(npz, rows, entries, shape[0]);
  }
  entries.starts = to_integers(npz.read("indptr"));
  entries.columns = to_integers(npz.read("indices"));
  check_as_many(npz, "indices", entries.columns.size(), entries.values.size());
  check_starts(npz, entries.starts, format == "csr" ? shape[0] : shape[1], entries.columns.size());
  if (format == "csr") return entries;
  const std::vector<int64_t> rows = std::move(entries.columns);
  entries.columns = lines_of(entries.starts);
  return by_rows(npz, rows, entries, shape[0]);
}

}  // namespace

Features read_sparse_npz(const Npz& npz) {
  const std::vector<int64_t> shape = to_integers(npz.read("shape"));
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 0 || shape[1] > INT32_MAX) {
    bad_matrix(npz, "shape is wrong", counted(static_cast<int64_t>(shape.size()), "number"),
               "the rows and the columns");
  }
  const auto [starts, columns, values] = read_entries(npz, shape);
  check_columns(shape[1], static_cast<int64_t>(columns.size()), {npz.path()});
  SparseBuilder out(shape[1]);
  std::vector<SparseEntry> row;
  for (int64_t i = 0; i < shape[0]; ++i) {
    row.clear();
    for (int64_t e = starts[i]; e < starts[i + 1]; ++e) {
      if (columns[e] < 0 || columns[e] >= shape[1]) {
        bad_matrix(npz, "row " + std::to_string(i) + " has a column that does not exist",
                   std::to_string(columns[e]), "columns from 0 to " + std::to_string(shape[1] - 1));
      }
      row.push_back({static_cast<int32_t>(columns[e]), values[e]});
    }
    out.add(row);
  }
  return out.take();
}

}  // namespace glgnn
