// Datasets in NumPy's files: X.npy with the labels in a second file, or X.npz with X and y.
#include "data/features.h"
#include "data/file.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/npz.h"

namespace glgnn {
namespace {

void no_id_column(const std::filesystem::path& path, const LoadOptions& options) {
  if (options.id.empty()) return;
  fail(ErrorKind::kUsage, {path},
       {"arrays have no id column", "--id " + options.id, "no --id",
        "leave --id away: row numbers from 0 are the ids"});
}

void add_labels(Dataset& dataset, const NpyArray& y, const LoadOptions& options) {
  if (y.shape.size() != 1 || y.shape[0] != dataset.rows()) {
    fail(ErrorKind::kData, y.place,
         {"labels do not fit the features", "shape " + y.shape_text(),
          "one label for each of " + counted(dataset.rows(), "row"),
          "save labels as one row of integers, -1 where unknown"});
  }
  set_labels(dataset, to_integers(y));
  if (!options.new_rows) check_labels(dataset, y.place);
}

void finish(Dataset& dataset, const LoadOptions& options) {
  dataset.feature_names = numbered_names(dataset.features.cols());
  if (dataset.labels.empty()) dataset.labels.assign(static_cast<size_t>(dataset.rows()), -1);
  if (options.new_rows || dataset.features.is_sparse) return;
  check_constant_columns(dataset, false);
  check_repeated_columns(dataset);
}

}  // namespace

Dataset read_npy_set(const std::filesystem::path& path, const LoadOptions& options) {
  no_id_column(path, options);
  Dataset dataset;
  dataset.name = path.stem().string();
  dataset.features.dense = to_matrix(read_npy(path));
  if (!options.label.empty()) {
    if (extension_of(options.label) != ".npy") {
      fail(ErrorKind::kUsage, {path},
           {"an array has no label column", "--label " + options.label, "a .npy file of labels",
            "save the labels with numpy.save and name that file"});
    }
    add_labels(dataset, read_npy(options.label), options);
  }
  finish(dataset, options);
  return dataset;
}

Dataset read_npz_set(const std::filesystem::path& path, const LoadOptions& options) {
  no_id_column(path, options);
  const Npz npz(path);
  Dataset dataset;
  dataset.name = path.stem().string();
  if (npz.has("X")) {
    dataset.features.dense = to_matrix(npz.read("X"));
  } else if (npz.has("indptr")) {
    dataset.features = read_csr(npz);
  } else {
    fail(ErrorKind::kData, {path},
         {"no features", "arrays " + listed(npz.names(), 8),
          "an array X, or a sparse matrix as indptr, indices, data and shape",
          "write it with numpy.savez_compressed(file, X=X, y=y)"});
  }
  if (extension_of(options.label) == ".npy") {
    add_labels(dataset, read_npy(options.label), options);
  } else if (!options.label.empty() || npz.has("y")) {
    add_labels(dataset, npz.read(options.label.empty() ? "y" : options.label), options);
  }
  finish(dataset, options);
  return dataset;
}

}  // namespace glgnn
