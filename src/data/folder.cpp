// The layout of the shipped datasets: a folder with one file per thing (docs/data_formats.md).

#include <glgnn/config.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "core/share_folder.h"
#include "data/features.h"
#include "data/file.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/line_reader.h"
#include "data/message.h"

namespace glgnn {
namespace {

namespace fs = std::filesystem;

Features read_features(const fs::path& folder) {
  Features features;
  if (fs::exists(folder / "features.npz")) return read_sparse_npz(Npz(folder / "features.npz"));
  if (fs::exists(folder / "features.npy")) {
    features.dense = to_matrix(read_npy(folder / "features.npy"));
    return features;
  }
  if (fs::exists(folder / "features_u8.npz")) {
    features.dense = to_matrix(Npz(folder / "features_u8.npz").read("X"));
    return features;
  }
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files.push_back(entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  fail(ErrorKind::kData, {folder},
       {"a folder that is not a dataset", files.empty() ? "nothing in it" : listed(files),
        "features.npy or features.npz, and labels.npy",
        "name a file in it (csv, tsv, npy, npz), or see docs/data_formats.md for the layout"});
}

// Numbers 0 to C - 1 and -1, named by class_names.txt; without it as any array of labels.
void read_labels(Dataset& dataset, const fs::path& folder,
                 const std::vector<std::string>& missing) {
  const NpyArray array = read_npy(folder / "labels.npy");
  std::vector<int64_t> numbers = to_integers(array);
  if (static_cast<int64_t>(numbers.size()) != dataset.rows()) {
    fail(ErrorKind::kData, array.place,
         {"labels do not fit the features", counted(array.size(), "label"),
          "one for each of " + counted(dataset.rows(), "row"), "write one label per row"});
  }
  if (fs::exists(folder / "unlabeled.npy")) {
    const NpyArray unlabelled = read_npy(folder / "unlabeled.npy");
    for (const int64_t row : to_integers(unlabelled)) {
      if (row < 0 || row >= dataset.rows()) {
        fail(ErrorKind::kData, unlabelled.place,
             {"no such row", std::to_string(row),
              "rows from 0 to " + std::to_string(dataset.rows() - 1), "correct the file"});
      }
      numbers[row] = -1;
    }
  }
  if (!fs::exists(folder / "class_names.txt")) {
    return set_labels(dataset, numbers, missing, MinusOne::kUnknown);
  }
  dataset.class_names = read_lines(folder / "class_names.txt");
  std::set<std::string> seen{""};
  for (const std::string& name : dataset.class_names) {
    if (seen.insert(name).second) continue;
    fail(ErrorKind::kData, {folder / "class_names.txt"},
         {name.empty() ? "a class without a name" : "two classes of one name", name,
          "another name in every line", "name each class once, in the order of its number"});
  }
  for (const int64_t n : numbers) {
    if (n < -1 || n >= dataset.classes()) {
      fail(ErrorKind::kData, array.place,
           {"a label without a name", std::to_string(n),
            "-1 or a line of class_names.txt, 0 to " + std::to_string(dataset.classes() - 1),
            "correct the label or name its class"});
    }
    dataset.labels.push_back(static_cast<int32_t>(n));
  }
}

void read_feature_names(Dataset& dataset, const fs::path& folder) {
  const fs::path path = folder / "feature_names.txt";
  if (!fs::exists(path)) {
    dataset.feature_names = numbered_names(dataset.features.cols());
    return;
  }
  dataset.feature_names = read_lines(path);
  const auto names = static_cast<int64_t>(dataset.feature_names.size());
  if (names != dataset.features.cols()) {
    fail(ErrorKind::kData, {path},
         {"names do not fit the features", counted(names, "line"),
          "one for each of " + counted(dataset.features.cols(), "column"),
          "write one name per line"});
  }
}

void read_splits(Dataset& dataset, const fs::path& folder) {
  if (fs::exists(folder / "splits.npz")) {
    const Npz npz(folder / "splits.npz");
    for (int s = 0; s == 0 || npz.has("train_" + std::to_string(s)); ++s) {
      dataset.splits.push_back(read_npz_split(npz, dataset, "_" + std::to_string(s)));
    }
  } else if (fs::exists(folder / "split.npz")) {
    dataset.splits.push_back(read_npz_split(Npz(folder / "split.npz"), dataset, ""));
  }
}

void check_card(const DatasetCard& card, const Dataset& dataset, const fs::path& folder) {
  const auto check = [&](const std::string& what, int64_t said, int64_t found) {
    if (said == 0 || said == found) return;
    fail(ErrorKind::kData, {folder / "meta.json"},
         {"meta.json and the files differ", std::to_string(found) + " " + what,
          std::to_string(said), "correct \"" + what + "\" or restore the files"});
  };
  check("rows", card.rows, dataset.rows());
  check("features", card.features, dataset.features.cols());
  check("classes", card.classes, dataset.classes());
  if (dataset.has_graph) check("edges", card.edges, dataset.graph.nnz() / 2);
}

}  // namespace

DatasetCard read_card(const fs::path& folder) {
  DatasetCard card;
  card.name = fs::absolute(folder / "").parent_path().filename().string();
  // One split and no word on it: runs can differ by their seeds only.
  card.splits_are_seeds = fs::exists(folder / "split.npz") && !fs::exists(folder / "splits.npz");
  const fs::path path = folder / "meta.json";
  if (!fs::exists(path)) return card;
  try {
    const auto meta = nlohmann::json::parse(read_bytes(path));
    card.name = meta.value("name", card.name);
    card.title = meta.value("title", "");
    card.source = meta.value("source", "");
    card.licence = meta.value("licence", "");
    card.rows = meta.value("rows", int64_t{0});
    card.features = meta.value("features", int64_t{0});
    card.classes = meta.value("classes", int64_t{0});
    card.edges = meta.value("edges", int64_t{0});
    card.scaling = meta.value("scaling", "");
    card.paper_k = meta.value("paper_k", int64_t{0});
    card.paper_epochs = meta.value("paper_epochs", int64_t{0});
    card.splits_are_seeds = meta.value("splits_are_seeds", card.splits_are_seeds);
    Config config;
    if (!card.scaling.empty()) set_setting(config, "scaling", card.scaling);
  } catch (const nlohmann::json::exception& error) {
    fail(ErrorKind::kData, {path},
         {"not a JSON object of the right kind", error.what(),
          "names, numbers and texts as in docs/data_formats.md", "correct or remove the file"});
  } catch (const Error& error) {
    throw Error(ErrorKind::kData, path.string() + ": " + error.what());
  }
  return card;
}

Dataset read_folder(const fs::path& folder, const LoadOptions& options) {
  if (!options.label.empty() || !options.id.empty()) {
    fail(ErrorKind::kUsage, {folder},
         {"a dataset folder has its own labels and ids",
          options.label.empty() ? "--id " + options.id : "--label " + options.label,
          "no --label and no --id", "leave it away"});
  }
  Dataset dataset;
  dataset.features = read_features(folder);
  if (options.new_rows && !fs::exists(folder / "labels.npy")) {
    dataset.labels.assign(static_cast<size_t>(dataset.rows()), -1);
  } else {
    read_labels(dataset, folder, options.missing);
  }
  if (!options.new_rows) check_labels(dataset, {folder / "labels.npy"});
  read_feature_names(dataset, folder);
  if (fs::exists(folder / "edges.npy") && options.graph.empty()) {
    read_graph(dataset, folder / "edges.npy");
  }
  read_splits(dataset, folder);
  const DatasetCard card = read_card(folder);
  check_card(card, dataset, folder);
  dataset.name = card.name;
  dataset.scaling = card.scaling;
  dataset.paper_k = card.paper_k;
  dataset.paper_epochs = card.paper_epochs;
  dataset.splits_are_seeds = card.splits_are_seeds && dataset.splits.size() == 1;
  return dataset;
}

std::vector<std::string> shipped_datasets() {
  return {"wine", "cancer", "digits", "citeseer", "cora", "20news", "fma46"};
}

std::filesystem::path shipped_folder() {
  if (const char* const given = std::getenv("GLGNN_DATA"); given != nullptr && *given != '\0') {
    return given;
  }
  return share_folder("data");
}

DatasetCard shipped_card(const std::string& name) {
  const std::vector<std::string> names = shipped_datasets();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw Error(ErrorKind::kUsage,
                name + ": no such shipped dataset; there are " + listed(names, names.size()));
  }
  return read_card(shipped_folder() / name);
}

}  // namespace glgnn
