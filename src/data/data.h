// What readers and preparation offer beyond the public header.
#pragma once

#include <glgnn/config.h>
#include <glgnn/data.h>
#include <glgnn/dataset.h>
#include <glgnn/table.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace glgnn {

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

// What scaling must know of all rows' columns, where the rows come in parts and in their order: the
// same bits as of all rows at once.
struct ColumnSums {
  int64_t rows = 0;  // of all parts
  int64_t seen = 0;  // so far, by add()
  std::vector<double> mean, squares;
  std::vector<float> first;  // row
  std::vector<float> low, high;
  std::vector<uint8_t> varies;
  bool is_grey = true;  // whole numbers from 0 to 255

  void add(const Matrix& part);
  void add_squares(const Matrix& part);  // once all have been added
  // Without the columns that have the same value in every row; false where none is left.
  bool leave_out_constant();
  // What `auto` means for dense features without categories, and the scaling by these sums: none,
  // standard, standard_unit, row_sum or row_unit (kUsage where it needs others).
  Scaling resolve(Scaling asked) const;
  FeatureScale scale(Scaling scaling) const;
};

// The same numbers in the other form; nothing happens if they have it already.
void make_sparse(Features& features);
void make_dense(Features& features);

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

// A graph with wrong edges: every ordered pair of rows is added with the same probability and a
// weight from U(0, 1) (a pair that is an edge already stays one). Without a graph the noise is all
// there is.
struct NoisyGraph {
  Csr graph;
  Pattern added;
};
NoisyGraph add_noise_edges(const Csr* graph, int64_t rows, double probability, uint64_t seed);

// Columns that say nothing, `part` times as many as there are: each has the numbers of a column
// drawn by chance, in a random order of the rows. Gives how many were added.
int64_t add_noise_columns(Dataset& dataset, double part, uint64_t seed);

// Every edge both ways, with the larger weight of the two.
Csr undirected(const Csr& graph);

// Which scaling suits sparse features such as words: rows of length 1, or weighed by rarity first.

// Every validation row asks the training rows for its class, each voting by its similarity. kTfidf
// where that gets clearly more rows right (by more than the deviation of as many tosses of a coin
// as there are rows on which the two differ), else kRowUnit. No other label is read.
Scaling text_scaling(const Dataset& dataset, const Split& split);

}  // namespace glgnn
