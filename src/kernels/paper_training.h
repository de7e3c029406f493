// Training in paper mode on a GPU: whole epochs of the modules and their network of graphs, of
// which only a few numbers come back each time (docs/math.md says what is computed).
//
// For the readings that paper mode has by default: dot products, rows of the learned graph scaled
// to a sum, hops by shells, the mean of A and its transpose, X_agg the mean of the X2, a number of
// attention for each row, a matrix B, neighbours chosen anew in every epoch.
//
// A' is never made. A is kept as k columns and weights a_ij of each row, with the same entries by
// columns beside (B = (A + A^T) / 2, r = D^-1/2):
//   (A' x)_i = r_i (sum_j a_ij r_j x_j + sum_j a_ji r_j x_j) / 2 + r_i^2 x_i
//   d_a_ij   = (g_ij r_i r_j + d_i + d_j) / 2,  d_i = - r_i^2 / 2 sum_j g_ij A'_ij
// where g_ij = dA'_ij + dA'_ji, and what a product y = A' x adds to that sum is d_y_i . y_i + x_i .
// d_x_i. In the loss |A' - A1'| the sign belongs to a pair, so that its sum runs over the entries
// of A and of A1. Rows that show no label have the neighbours of the evaluation before; the others
// choose among these and the shown rows of their class.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/edges.h"

namespace glgnn {

// What is learned from, and how.
struct PaperTask {
  MatView<const float> x = {};  // dense, or
  PatternView x_pattern = {};   // sparse (it has rows)
  const float* x_values = nullptr;
  TransposeView x_by_column = {};

  std::span<const int32_t> labels = {}, train = {}, val = {};
  std::span<const float> train_weights = {};  // of each training row in the cross-entropy
  int64_t classes = 0, modules = 0, hidden = 0, k = 0, hops = 0;

  float row_sum = 1;                          // of the learned graph
  float shrink = 1;                           // of s, for the similarities
  float first_weight = 0, second_weight = 0;  // of a shown label in the first and second graph
  float hide = 0, dropout = 0;
  float graph_weight = 0, entropy_weight = 1;  // of |A' - A1'| and of the cross-entropy
  float decay = 0;                             // of the squares of W1, and of W2 with decay_second
  bool decay_second = false;
  bool hops_stay = false;  // hops are read from the graph given at the start in every epoch
  double learning_rate = 0;
  uint64_t seed = 0;

  int64_t rows() const { return x_pattern.rows > 0 ? x_pattern.rows : x.rows; }
  int64_t features() const { return x_pattern.rows > 0 ? x_pattern.cols : x.cols; }
  // s, W1, W2 and v of each module, then a and B: all numbers, one after the other.
  int64_t of_module() const { return features() * (1 + hidden) + hidden * classes + hops + 1; }
  int64_t numbers() const {
    return modules * of_module() + rows() * classes + (modules + 1) * (modules + 1);
  }
};

// The parameters with Adam's means, each as PaperTask::numbers() says.
struct PaperNumbers {
  std::vector<float> value, mean, square;
};

// k slots for each row, of which the first `count` are filled, with the weights before
// normalisation.
struct PaperGraph {
  std::vector<int64_t> count;
  std::vector<int32_t> col;
  std::vector<float> weights;
};

// What an evaluation finds.
struct PaperEvaluation {
  std::vector<float> parameters;
  Matrix probabilities, network;
  std::vector<PaperGraph> graphs;  // of each module
  std::vector<Matrix> predictions;
};

struct PaperLosses {
  double graph = 0, entropy = 0, decay = 0;  // weighted
  double val_entropy = 0;                    // of the evaluation, the mean; 0 without such rows
};

namespace cuda {

class HeldPaper {
 public:
  // `hop_graphs`: of each module, or none; `epochs` are done.
  HeldPaper(const PaperTask& task, const PaperNumbers& start,
            std::span<const PatternView> hop_graphs, int64_t epochs);
  ~HeldPaper();

  // Trains an epoch and evaluates; the rows of train and val in `answers` (rows x classes) get
  // their probabilities.
  PaperLosses run_epoch(MatView<float> answers);
  // What the last evaluation found is the best so far.
  void keep();

  PaperEvaluation kept() const;
  PaperNumbers numbers() const;
  // The second graphs, of which the next epoch reads its hops.
  std::vector<PaperGraph> second_graphs() const;

 private:
  struct Arrays;
  std::unique_ptr<Arrays> arrays_;
};

}  // namespace cuda
}  // namespace glgnn
