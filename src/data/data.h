// Reading people's data: one function for everything a command can be given.
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
      drop{};                                 // columns of a table, against the rules
  std::function<void(double)> on_progress{};  // told the part of a text file that has been read
  bool new_rows = false;  // arrays and folders of rows to predict: any number, labelled or not
};

// `what` names a shipped dataset, a folder in their layout, or a file (docs/data_formats.md).
Dataset load_dataset(const std::string& what, const LoadOptions& options = {});

// The names of the shipped datasets, in the order of the documentation.
std::vector<std::string> shipped_datasets();

// The folder of the shipped datasets: $GLGNN_DATA, or where the program was built or installed.
std::filesystem::path shipped_folder();

// What the meta.json of a dataset says; numbers are 0 and texts empty where it says nothing.
struct DatasetCard {
  std::string name, title, source, licence;
  int64_t rows = 0, features = 0, classes = 0, edges = 0;
  std::string scaling;
  int64_t paper_k = 0, paper_epochs = 0;
  bool splits_are_seeds = false;
};

// The card of a shipped dataset, without reading its data.
DatasetCard shipped_card(const std::string& name);

// The same numbers in the other form; nothing happens if they have it already.
void make_sparse(Features& features);
void make_dense(Features& features);

// What `auto` means for these features and this publisher's word (Dataset::scaling).
Scaling resolve_scaling(Scaling scaling, const Features& features, const std::string& publishers);

// `scaling` must not be kAuto; kStandard needs dense features. Constant columns become zero by it.
FeatureScale learn_scale(const Features& features, Scaling scaling);
void apply_scale(Features& features, const FeatureScale& scale);

// Learns and applies in one step, in place.
void scale_features(Features& features, Scaling scaling);

struct SplitFractions {
  double train = 0.8;  // of the labelled rows that the test leaves; the rest validates
  double test = 0.0;   // of all labelled rows, taken first
};

// Splits the labelled rows, each class in the same proportion; each class trains on one row at
// least.
Split make_split(const std::vector<int32_t>& labels, int64_t classes, SplitFractions fractions,
                 uint64_t seed);

// Another split of the same sizes: as many training rows of each class as `like` has, validation
// and test rows from what is left.
Split redraw_split(const std::vector<int32_t>& labels, int64_t classes, const Split& like,
                   uint64_t seed);

// Moves a part of the validation rows to the training rows, as LDS and others do.
void train_on_validation(Split& split, const std::vector<int32_t>& labels, int64_t classes,
                         double part, uint64_t seed);

// A graph with wrong edges: every ordered pair of rows is added with the same probability (a pair
// that is an edge already stays one). Without a graph the noise is all there is.
struct NoisyGraph {
  Csr graph;
  Pattern added;
};
NoisyGraph add_noise_edges(const Csr* graph, int64_t rows, double probability, uint64_t seed);

}  // namespace glgnn
