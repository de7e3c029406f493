// Reading people's data: one function for everything a command can be given.
#pragma once

#include <glgnn/config.h>
#include <glgnn/dataset.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace glgnn {

// Files and columns as a person names them; all may be empty. (With {}, so that naming a few in an
// initialiser is not warned about.)
struct LoadOptions {
  std::string label{};    // label column of a table; for array files a .npy file of labels
  std::string id{};       // id column of a table
  std::string graph{};    // edge list file; empty: the set's own graph, if it has one
  std::string split{};    // file with the rows of train, val, test
  bool new_rows = false;  // rows to predict: any number of them, labelled or not, all columns kept
};

// `what` names a shipped dataset, a folder in their layout, or a file (csv, tsv, npy, npz).
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

// What a scaling has learned from some rows, so that rows that come later are scaled alike. A
// number x of column j becomes (x - shift[j]) * factor[j]; scalings by rows learn nothing and leave
// both empty.
struct FeatureScale {
  Scaling scaling = Scaling::kNone;
  std::vector<float> shift, factor;
};

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

// Some rows of features, or of a dataset (without its splits), in the order given.
Features take_rows(const Features& features, std::span<const int32_t> rows);
Dataset take_rows(const Dataset& dataset, std::span<const int32_t> rows);

// Rows that training is not to see at all: a part of all rows, drawn from those of the test.
struct HiddenRows {
  std::vector<int32_t> kept, hidden;  // ascending
  Split split;                        // of the kept rows, by their places in `kept`
};
HiddenRows hide_rows(const Split& split, int64_t rows, double part, uint64_t seed);

// A graph with wrong edges: every ordered pair of rows is added with the same probability (a pair
// that is an edge already stays one). Without a graph the noise is all there is.
struct NoisyGraph {
  Csr graph;
  Pattern added;
};
NoisyGraph add_noise_edges(const Csr* graph, int64_t rows, double probability, uint64_t seed);

}  // namespace glgnn
