// Reading people's data: one function for everything a command can be given.
#pragma once

#include <glgnn/config.h>
#include <glgnn/dataset.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace glgnn {

struct LoadOptions {
  std::string
      label;       // label column of a table, or a label file (.npy) for array files; may be empty
  std::string id;  // id column of a table
  std::string graph;  // edge list file; empty: the set's own graph, if it has one
  std::string split;  // file with the rows of train, val, test
};

// `what` is the name of a shipped dataset, a folder in their layout, or a file (csv, tsv, npy,
// npz).
Dataset load_dataset(const std::string& what, const LoadOptions& options = {});

// The names of the shipped datasets, in the order of the documentation.
std::vector<std::string> shipped_datasets();

// The folder of the shipped datasets: $GLGNN_DATA, or where the program was built or installed.
std::filesystem::path shipped_folder();

// What `auto` means for these features and this publisher's word (Dataset::scaling).
Scaling resolve_scaling(Scaling scaling, const Features& features, const std::string& publishers);

// Scales in place, by columns or rows as docs/data_formats.md says; constant columns become zero.
void scale_features(Features& features, Scaling scaling);

struct SplitFractions {
  double train = 0.8;  // of the labelled rows; the rest validates
  double test = 0.0;   // of the labelled rows, taken first
};

// Splits the labelled rows, each class in the same proportion; each class trains on one row at
// least.
Split make_split(const std::vector<int32_t>& labels, int64_t classes, SplitFractions fractions,
                 uint64_t seed);

}  // namespace glgnn
