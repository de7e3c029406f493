// Datasets in arrays: X.npy or X.mtx with the labels in a second file, or X.npz with X and y.

#include "core/rows.h"
#include "data/data.h"
#include "data/features.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/line_reader.h"
#include "data/npz.h"
#include "data/number_style.h"
#include "data/row_source.h"

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
        "save one label for each row, as y.ravel() is, -1 where unknown"});
}

void add_labels(Dataset& dataset, const NpyArray& y, const LoadOptions& options) {
  const bool is_list = y.shape.size() == 1 || (y.shape.size() == 2 && y.shape[1] == 1);
  check_count(is_list ? static_cast<size_t>(y.shape[0]) : SIZE_MAX, "shape " + y.shape_text(),
              dataset, y.place);
  if (y.is_text()) {
    set_labels(dataset, to_texts(y), options.missing);
  } else {
    set_labels(dataset, to_labels(y), options.missing,
               options.new_rows ? MinusOne::kClass : MinusOne::kByOthers);
  }
  if (!options.new_rows) check_labels(dataset, y.place);
}

// An array in a .npy file, or texts, one per line.
void add_label_file(Dataset& dataset, const LoadOptions& options) {
  if (content_extension(options.label) == ".npy") {
    return add_labels(dataset, read_npy(options.label), options);
  }
  const std::vector<std::string> labels = read_lines(options.label);
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

void finish(Dataset& dataset, const LoadOptions& options,
            const std::vector<Rounding>& rounding = {}) {
  dataset.feature_names = numbered_names(dataset.features.cols());
  if (dataset.labels.empty()) dataset.labels.assign(static_cast<size_t>(dataset.rows()), -1);
  if (options.new_rows || dataset.features.is_sparse) return;
  note_close_columns(dataset, rounding);
  leave_out_constant_columns(dataset, options.threads, rounding);
  check_repeated_columns(dataset, options.threads);
}

}  // namespace

Dataset read_npy_set(const std::filesystem::path& path, const LoadOptions& options) {
  no_id_column(path, options);
  Dataset dataset;
  dataset.name = path.stem().string();
  std::vector<Rounding> rounding;
  dataset.features.dense = read_npy_matrix(path, options.threads, &rounding);
  add_labels_beside(dataset, path, options);
  finish(dataset, options, rounding);
  return dataset;
}

Dataset labels_of_rows(const std::filesystem::path& path, int64_t rows, int64_t cols,
                       const std::vector<std::string>& labels, const LoadOptions& options) {
  Dataset dataset;
  dataset.name = path.stem().string();
  dataset.features.dense = Matrix::share(std::make_shared<const float>(), rows, cols);
  dataset.feature_names = numbered_names(cols);
  if (labels.empty()) {
    add_labels_beside(dataset, path, options);
  } else {
    set_labels(dataset, labels, options.missing);
    check_labels(dataset, {path}, options.label);
  }
  if (!options.split.empty()) dataset.splits = {read_split(dataset, options.split)};
  return dataset;
}

bool is_label_file(const std::string& label) {
  const std::string extension = content_extension(label);
  return extension == ".npy" || extension == ".txt";
}

Dataset read_npz_set(const std::filesystem::path& path, const LoadOptions& options) {
  no_id_column(path, options);
  const Npz npz(path);
  Dataset dataset;
  dataset.name = path.stem().string();
  std::vector<Rounding> rounding;
  if (npz.has("X")) {
    const NpyArray rows = npz.read("X");
    dataset.features.dense = to_matrix(rows, options.threads);
    rounding = rounding_of(rows);
  } else if (npz.has("indptr") || npz.has("format")) {
    dataset.features = read_sparse_npz(npz);
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
  finish(dataset, options, rounding);
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

// New rows of svmlight files, line by line, and of arrays and folders, which are read as a whole.

namespace {

// Arrays cannot hold categories, dates, gaps, units, or large numbers that lie close together.
void require_plain_columns(const std::string& what, const TablePlan& plan) {
  const auto is_plain = [](const TableColumn& column) {
    return column.kind == ColumnKind::kNumeric && !column.indicator && column.offset == 0 &&
           !needs_unit(column.style.unit);
  };
  for (const TableColumn& column : plan.columns) {
    if (!column.is_used() || is_plain(column)) continue;
    fail(ErrorKind::kUsage, {what},
         {"the fitted table has columns that an array cannot hold", "an array",
          "a CSV or TSV file with a column " + quote(column.name), "give the new rows as a table"});
  }
}

class SvmlightSource : public RowSource {
 public:
  SvmlightSource(const std::string& path, const TablePlan& plan, ClassNumbers classes)
      : rows_(path), plan_(plan), classes_(std::move(classes)) {
    require_plain_columns(path, plan);
    columns_ = array_columns(plan);
    first_number_ = plan.counts_from_zero ? 0 : 1;
  }

  void next(RowBlock& block, int64_t first, int64_t most) override {
    SparseBuilder builder(columns_);
    for (SvmlightRow row; builder.rows() < most && rows_.next(row);) {
      block.ids.push_back(std::to_string(first + builder.rows()));
      block.lines.push_back(rows_.place().line);
      has_labels_ = has_labels_ || !row.label.empty();
      block.labels.push_back(row.label.empty() ? -1 : classes_.find(row.label));
      keep_known(row.entries);
      builder.add(row.entries);
    }
    if (first + builder.rows() == 0) {
      fail(ErrorKind::kData, rows_.place(),
           {"no rows", "0 rows", "a line for each row: LABEL NUMBER:VALUE ...",
            "check that the file was written completely"});
    }
    block.features = used_columns(builder.take(), plan_, rows_.place().file.string());
  }

  bool has_labels() const override { return has_labels_; }
  double part_read() const override { return rows_.part_read(); }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    if (ignored_ > 0) {
      notes.push_back(counted(ignored_, "value") + " of features that the model does not know " +
                      (ignored_ == 1 ? "is" : "are") + " ignored: numbers above " +
                      std::to_string(columns_ - 1 + first_number_));
    }
    classes_.add_note(notes);
    return notes;
  }

 private:
  void keep_known(std::vector<SparseEntry>& entries) {
    for (SparseEntry& entry : entries) {
      entry.column -= first_number_;
      if (entry.column >= 0) continue;
      fail(ErrorKind::kData, rows_.place(),
           {"not a feature of the model", "0", "numbers from 1, as in the rows it was fitted on",
            "count the features from 1"});
    }
    ignored_ += static_cast<int64_t>(
        std::erase_if(entries, [&](const SparseEntry& entry) { return entry.column >= columns_; }));
  }

  SvmlightRows rows_;
  TablePlan plan_;
  ClassNumbers classes_;
  int64_t columns_ = 0, ignored_ = 0;
  int32_t first_number_ = 1;
  bool has_labels_ = false;
};

class ArraySource : public RowSource {
 public:
  ArraySource(const std::string& what, const TablePlan& plan, ClassNumbers classes,
              const NewRowsOptions& options)
      : data_(load_dataset(what,
                           {.label = options.label, .format = options.format, .new_rows = true})),
        classes_(std::move(classes)) {
    require_plain_columns(what, plan);
    data_.features = used_columns(std::move(data_.features), plan, what);
  }

  void next(RowBlock& block, int64_t first, int64_t most) override {
    const int64_t end = std::min(first + most, data_.rows());
    block.features = rows_of(data_.features, first, end);
    for (int64_t i = first; i < end; ++i) {
      block.ids.push_back(data_.row_ids.empty() ? std::to_string(i) : data_.row_ids[i]);
      block.labels.push_back(class_of(data_.labels[i]));
      block.lines.push_back(0);
    }
    read_ = end;
  }

  bool has_labels() const override { return data_.classes() > 0; }
  double part_read() const override {
    return static_cast<double>(read_) / static_cast<double>(data_.rows());
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    classes_.add_note(notes);
    return notes;
  }

 private:
  int32_t class_of(int32_t label) {
    if (label < 0) return -1;
    const std::string& name = data_.class_names[label];
    return name == "-1" && !classes_.has(name) ? -1 : classes_.find(name);
  }

  Dataset data_;
  ClassNumbers classes_;
  int64_t read_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> open_svmlight_rows(const std::string& path, const TablePlan& plan,
                                              ClassNumbers classes, const NewRowsOptions& options) {
  if (!options.label.empty() || !options.id.empty()) {
    fail(ErrorKind::kUsage, {path},
         {"svmlight rows begin with their label and have no id",
          options.label.empty() ? "--id " + options.id : "--label " + options.label,
          "no --label and no --id", "leave it away"});
  }
  return std::make_unique<SvmlightSource>(path, plan, std::move(classes));
}

std::unique_ptr<RowSource> open_array_rows(const std::string& what, const TablePlan& plan,
                                           ClassNumbers classes, const NewRowsOptions& options) {
  return std::make_unique<ArraySource>(what, plan, std::move(classes), options);
}

}  // namespace glgnn
