// Explanations on graphs with known answers, after GNNExplainer's paper (Ying et al. 2019): motifs
// are hung on a base graph, and a row of a motif is what it is because of the motif's edges.
#pragma once

#include <glgnn/context.h>
#include <glgnn/dataset.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/explanation_set.h"
#include "ops/ops.h"

namespace glgnn::bench {

// A graph with motifs; the columns are all 1, as in the paper.
struct MotifSet {
  Dataset data;
  std::vector<int32_t> motif;  // of each row; -1: of the base graph
};

// "ba-shapes": 80 houses on 300 rows of preferential attachment; "tree-cycles": 80 rings of six on
// a binary tree of eight levels below its root; "tree-cycles-root": all rings on the root. The
// houses' graph has a tenth as many edges by chance as it has rows. A motif hangs on the base by
// its first row.
bool is_motif_set(const std::string& name);
MotifSet make_motif_set(const std::string& name, uint64_t seed);

struct MotifLine {
  std::string model, explainer;
  double accuracy = 0;    // of the model, on rows that it has not learned from
  double auc = 0;         // that an edge of a row's own motif is more important than another, all
                          // edges of all rows together, as GNNExplainer's authors count
  double auc_of_row = 0;  // the same within each row, mean of the rows
  int64_t rows = 0;       // explained; those whose edges are all of one kind cannot be judged
  double seconds = 0;     // of one explanation
  // Of GNNExplainer's masks of the GCN: what probability the class keeps under them, and with no
  // other edges than the largest, as many as the motif has; mean of the rows.
  double under_masks = 0, under_largest = 0;
};

struct MotifOptions {
  int64_t rows = 20;  // explained, each the first of its motif, as the authors chose
  uint64_t seed = 0;
  std::function<bool()> stopped = [] { return false; };
};

// A plain GCN and our best mode (on degrees, as rows that are all the same tell it nothing), each
// explained by GNNExplainer's masks, by taking edges out one at a time, and by chance.
std::vector<MotifLine> study_motifs(const MotifSet& set, const MotifOptions& options,
                                    const Context& context);

// A plain GCN of three layers as that paper has it (rows of length 1, all layers are read), and its
// predictions explained edge by edge.
class MotifGcn {
 public:
  // Trains it. The data must outlive this.
  MotifGcn(const Dataset& data, const Split& split, uint64_t seed, const Context& context);

  double test_accuracy() const { return test_accuracy_; }

  // The edges (a < b) between rows within three steps of a row, as GNNExplainer's authors take
  // them; those that join two of the farthest cannot change what is said of it.
  std::vector<std::pair<int32_t, int32_t>> edges_near(int32_t row) const;

  // GNNExplainer: masks on these edges and on the columns, by the gradient.
  Importance learned_masks(int32_t row, const std::vector<std::pair<int32_t, int32_t>>& edges,
                           uint64_t seed) const;

  // The probability of the predicted class where these edges have these weights instead of 1.
  double probability(int32_t row, const std::vector<std::pair<int32_t, int32_t>>& edges,
                     const std::vector<float>& weights) const;

  // What the predicted class loses in probability without each edge.
  std::vector<double> lost_without(int32_t row,
                                   const std::vector<std::pair<int32_t, int32_t>>& edges) const;

 private:
  Var logits(Tape& tape, Var x, Var values) const;
  int64_t entry(int32_t i, int32_t j) const;
  int32_t predicted(int32_t row) const;
  Matrix weighed(const std::vector<std::pair<int32_t, int32_t>>& edges,
                 const std::vector<float>& weights) const;

  const Dataset& data_;
  Context context_;
  Csr graph_;
  Matrix values_;  // of its entries
  std::shared_ptr<const Transpose> transposed_;
  // Of each layer, and the bias of all heads; a tape asks for more than const.
  mutable std::vector<Parameter> weights_, biases_, heads_;
  Matrix probabilities_;
  double test_accuracy_ = 0;
};

}  // namespace glgnn::bench
