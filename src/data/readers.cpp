// The table of everything that can be read, and the one function that reads it.
#include <algorithm>
#include <array>
#include <new>

#include "data/features.h"
#include "data/file.h"
#include "data/formats.h"
#include "data/line_reader.h"
#include "data/message.h"
#include "data/other_files.h"

namespace glgnn {
namespace {

namespace fs = std::filesystem;

struct Reader {
  const char* extension;
  Dataset (*read)(const fs::path&, const LoadOptions&);
};

constexpr std::array kReaders{
    Reader{".csv", read_table},         Reader{".tsv", read_table},
    Reader{".tab", read_table},         Reader{".npy", read_npy_set},
    Reader{".npz", read_npz_set},       Reader{".svm", read_svmlight},
    Reader{".svmlight", read_svmlight}, Reader{".libsvm", read_svmlight},
    Reader{".mtx", read_mtx_set},
};

std::string extensions() {
  std::string text;
  for (const Reader& reader : kReaders)
    text += (text.empty() ? "" : ", ") + std::string(reader.extension);
  return text;
}

[[noreturn]] void unknown_name(const std::string& what) {
  const std::vector<std::string> names = shipped_datasets();
  fail(ErrorKind::kUsage, {what},
       {"no shipped dataset, file or folder of this name", what,
        "one of " + listed(names, names.size()),
        "the nearest is " + quote(nearest_names(what, names)[0])});
}

void refuse_column_options(const fs::path& path, const LoadOptions& options) {
  for (const auto& [option, columns] :
       {std::pair("--categorical", &options.categorical), std::pair("--numeric", &options.numeric),
        std::pair("--drop", &options.drop)}) {
    if (columns->empty()) continue;
    fail(ErrorKind::kUsage, {path},
         {"only tables have columns to choose", option, "a CSV or TSV file", "leave it away"});
  }
}

[[noreturn]] void unknown_kind(const fs::path& path) {
  const std::string extension = extension_of(path);
  std::string repair = how_to_convert(extension);
  if (repair.empty()) repair = "say what it holds with --format, or rename or convert the file";
  fail(ErrorKind::kUsage, {path},
       {"unknown kind of file", path.has_extension() ? extension : path.string(),
        extensions() + ", text also as .gz, or a folder", repair});
}

Dataset read_anything(const std::string& what, const LoadOptions& options) {
  const std::vector<std::string> names = shipped_datasets();
  if (std::find(names.begin(), names.end(), what) != names.end()) {
    refuse_column_options(what, options);
    const fs::path folder = shipped_folder() / what;
    if (!fs::is_directory(folder)) {
      fail(ErrorKind::kData, {folder},
           {"the shipped datasets are not where this program looks for them", "no such folder",
            "the folder data of the source tree or of the installation",
            "name it by the variable GLGNN_DATA, or give the path of a dataset"});
    }
    return read_folder(folder, options);
  }
  const fs::path path = what;
  std::error_code told_below;
  if (fs::is_directory(path, told_below)) {
    refuse_column_options(path, options);
    return read_folder(path, options);
  }
  const bool is_bare = !path.has_extension() && !path.has_parent_path();
  if (is_bare && !fs::exists(path, told_below)) unknown_name(what);
  require_file(path);
  const std::string extension = reader_extension(path, options.format);
  const bool packed_array = extension_of(path) == ".gz" && extension.starts_with(".np");
  for (const Reader& reader : kReaders) {
    if (extension != reader.extension || packed_array) continue;
    if (reader.read != read_table) refuse_column_options(path, options);
    return reader.read(path, options);
  }
  unknown_kind(path);
}

void check_size(const Dataset& dataset, const std::string& what, const LoadOptions& options) {
  const int64_t fewest = options.new_rows ? 1 : 3;
  if (dataset.rows() < fewest) {
    fail(ErrorKind::kData, {what},
         {"too few rows", counted(dataset.rows(), "row"), std::to_string(fewest) + " at least",
          "add rows"});
  }
  if (dataset.rows() > INT32_MAX) {
    fail(ErrorKind::kData, {what},
         {"too many rows", counted(dataset.rows(), "row"), std::to_string(INT32_MAX) + " at most",
          "leave some out"});
  }
  if (dataset.features.cols() == 0) {
    fail(ErrorKind::kData, {what},
         {"no features", "0 columns", "at least one column", "add the columns to learn from"});
  }
}

Dataset read_checked(const std::string& what, const LoadOptions& options) {
  Dataset dataset = read_anything(what, options);
  check_size(dataset, what, options);
  dataset.plan.feature_names = dataset.feature_names;
  dataset.features.indicators = indicator_blocks(dataset.plan);
  sparsify(dataset, options.threads);
  if (!options.graph.empty()) read_graph(dataset, options.graph);
  if (!options.split.empty()) {
    dataset.splits = {read_split(dataset, options.split)};
    dataset.splits_are_seeds = true;
  }
  for (std::string& note : dataset.notes) note = printable(note);
  return dataset;
}

}  // namespace

std::string reader_extension(const fs::path& path, const std::string& format) {
  if (format.empty()) return content_extension(path);
  const std::string extension = (format.starts_with(".") ? "" : ".") + format;
  for (const Reader& reader : kReaders) {
    if (extension == reader.extension) return reader.extension;
  }
  fail(ErrorKind::kUsage, {path},
       {"unknown format", format, "one of " + extensions(), "correct --format"});
}

std::string stream_extension(const fs::path& path, const std::string& format) {
  return format.empty() && content_extension(path).empty() ? ".csv"
                                                           : reader_extension(path, format);
}

Dataset load_dataset(const std::string& what, const LoadOptions& options) {
  try {
    const InputFile input(what, is_stream(what) ? stream_extension(what, options.format) : "");
    return read_checked(input.path(), options);
  } catch (const std::bad_alloc&) {
    out_of_memory({what});
  }
}

}  // namespace glgnn
