// Datasets in arrays: X.npy or X.mtx with the labels in a second file, or X.npz with X and y.
#include "data/features.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/line_reader.h"
#include "data/matrix_market.h"
#include "data/npz.h"

namespace glgnn {
namespace {

void no_id_column(const std::filesystem::path& path, const LoadOptions& options) {
  if (options.id.empty()) return;
  fail(ErrorKind::kUsage, {path},
       {"arrays have no id column", "--id " + options.id, "no --id",
        "leave --id away: row numbers from 0 are the ids"});
}

void check_count(size_t labels, const std::string& found, const Dataset& dataset,
                 const Place& place) {
  if (static_cast<int64_t>(labels) == dataset.rows()) return;
  fail(ErrorKind::kData, place,
       {"labels do not fit the features", found,
        "one label for each of " + counted(dataset.rows(), "row"),
        "save labels as one row of integers, -1 where unknown"});
}

void add_labels(Dataset& dataset, const NpyArray& y, const LoadOptions& options) {
  const bool is_list = y.shape.size() == 1;
  check_count(is_list ? static_cast<size_t>(y.shape[0]) : SIZE_MAX, "shape " + y.shape_text(),
              dataset, y.place);
  set_labels(dataset, to_integers(y));
  if (!options.new_rows) check_labels(dataset, y.place);
}

bool is_label_file(const std::string& label) {
  const std::string extension = content_extension(label);
  return extension == ".npy" || extension == ".txt";
}

// Numbers in a .npy file, or texts, one per line.
void add_label_file(Dataset& dataset, const LoadOptions& options) {
  if (content_extension(options.label) == ".npy") {
    return add_labels(dataset, read_npy(options.label), options);
  }
  std::vector<std::string> labels;
  LineReader lines(options.label);
  for (std::string_view line; lines.next(line);) {
    const std::string text(line.substr(0, std::min(line.find_first_of("\r\n"), line.size())));
    labels.push_back(text);
  }
  check_count(labels.size(), counted(static_cast<int64_t>(labels.size()), "line"), dataset,
              {options.label});
  set_labels(dataset, labels, options.missing);
  if (!options.new_rows) check_labels(dataset, {options.label});
}

// Labels for a file that has none itself.
void add_labels_beside(Dataset& dataset, const std::filesystem::path& path,
                       const LoadOptions& options) {
  if (options.label.empty()) return;
  if (!is_label_file(options.label)) {
    fail(ErrorKind::kUsage, {path},
         {"an array has no label column", "--label " + options.label, "a .npy file of labels",
          "save the labels with numpy.save, or as text with one label per line in a .txt file, and "
          "name that file"});
  }
  add_label_file(dataset, options);
}

void finish(Dataset& dataset, const LoadOptions& options) {
  dataset.feature_names = numbered_names(dataset.features.cols());
  if (dataset.labels.empty()) dataset.labels.assign(static_cast<size_t>(dataset.rows()), -1);
  if (options.new_rows || dataset.features.is_sparse) return;
  leave_out_constant_columns(dataset);
  check_repeated_columns(dataset);
}

}  // namespace

Dataset read_npy_set(const std::filesystem::path& path, const LoadOptions& options) {
  no_id_column(path, options);
  Dataset dataset;
  dataset.name = path.stem().string();
  dataset.features.dense = to_matrix(read_npy(path));
  add_labels_beside(dataset, path, options);
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
  if (is_label_file(options.label)) {
    add_label_file(dataset, options);
  } else if (!options.label.empty() || npz.has("y")) {
    add_labels(dataset, npz.read(options.label.empty() ? "y" : options.label), options);
  }
  finish(dataset, options);
  return dataset;
}

Dataset read_mtx_set(const std::filesystem::path& path, const LoadOptions& options) {
  no_id_column(path, options);
  Dataset dataset;
  dataset.name = content_name(path);
  dataset.features = read_mtx(path);
  densify(dataset.features);
  add_labels_beside(dataset, path, options);
  finish(dataset, options);
  return dataset;
}

}  // namespace glgnn
