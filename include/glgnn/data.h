// Reading people's data and preparing them: one function for everything a command can be given.
#pragma once

#include <glgnn/config.h>
#include <glgnn/dataset.h>
#include <glgnn/table.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace glgnn {

// Files and columns as a person names them; all may be empty. (With {}, so that naming a few in an
// initialiser is not warned about.)
struct LoadOptions {
  std::string label{};  // label column of a table; for arrays a .npy or .txt file of labels
  std::string id{};     // id column of a table
  std::string graph{};  // edge list, .mtx or .graphml; empty: the set's own graph, if it has one
  std::string split{};  // file with the rows of train, val, test
  std::vector<std::string> categorical{}, numeric{},
      drop{};            // columns of a table, against the rules
  std::string format{};  // csv, tsv, svmlight, npy, npz or mtx, where the file's name does not say
  std::vector<std::string> missing{};         // words that mean a gap, beside those of the rules
  std::function<void(double)> on_progress{};  // told the part of a text file that has been read
  int threads = 1;                            // that look through large arrays
  bool new_rows = false;  // arrays and folders of rows to predict: any number, labelled or not
};

// `what` names a shipped dataset, a folder in their layout, or a file (docs/data_formats.md); "-"
// is the standard input.
Dataset load_dataset(const std::string& what, const LoadOptions& options = {});

// The names of the shipped datasets, in the order of the documentation.
std::vector<std::string> shipped_datasets();

// The folder of the shipped datasets: $GLGNN_DATA, or where the program was built or installed.
std::filesystem::path shipped_folder();

// What `auto` means for these features and this publisher's word (Dataset::scaling); kUsage for a
// scaling that does not fit them.
Scaling resolve_scaling(Scaling scaling, const Features& features, const std::string& publishers);

// `scaling` must not be kAuto; kStandard and kStandardUnit need dense features. Constant columns
// become zero by it.
FeatureScale learn_scale(const Features& features, Scaling scaling);

// Scales features, in place, by what was learned from some (learn_scale).
void apply_scale(Features& features, const FeatureScale& scale);

// Learns and applies in one step, in place.
void scale_features(Features& features, Scaling scaling);

// How make_split() divides the labelled rows.
struct SplitFractions {
  double train = 0.8;  // of the labelled rows that the test leaves; the rest validates
  double test = 0.0;   // of all labelled rows, taken first
};

// Splits the labelled rows, each class in the same proportion; each class trains on one row at
// least.
Split make_split(const std::vector<int32_t>& labels, int64_t classes, SplitFractions fractions,
                 uint64_t seed);

}  // namespace glgnn
