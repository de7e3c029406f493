// What fit() leaves behind: parameters, predictions of the fitted rows, learned graphs; and its
// file.
#pragma once

#include <glgnn/config.h>
#include <glgnn/csr.h>
#include <glgnn/dataset.h>
#include <glgnn/matrix.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace glgnn {

// A trained parameter.
struct NamedMatrix {
  std::string name;
  Matrix value;
};

struct ModuleState;  // src/modules/kinds.h
struct FittedViews;  // src/modules/views.h

// A sub-module as fit() leaves it: the same record for every kind.
struct FittedModule {
  std::string kind;              // "paper", "spread", "gaussian", ...
  std::string note;              // its settings, one line
  Csr graph;                     // A'_m
  std::vector<float> selection;  // s: how much each feature counts
  Matrix probabilities;          // N x C, what it predicts alone
  float weight = 0;              // N_agg,m: how much it counts in the network of graphs
  double val_accuracy = 0;       // of what it predicts alone
  int64_t line = -1;             // of the history, from 0, that tells of it; -1: none does
  std::shared_ptr<const ModuleState> state;  // what its kind keeps for rows never seen
};

// One line of the training log.
struct EpochReport {
  int64_t epoch = 0;   // 1 .. epochs
  int64_t epochs = 0;  // planned
  double loss = 0, loss_graph = 0, loss_entropy = 0,
         loss_decay = 0;                                      // weighted: the first is the sum
  double train_accuracy = 0, val_accuracy = 0, val_loss = 0;  // of the evaluation forward
  bool best = false;                                          // the best so far: kept
  double seconds = 0;                                         // since this run began
};

// How accurate a model is on rows that taught and chose nothing, judged by its labelled rows.
struct Estimate {
  int64_t rows = 0;                        // labelled rows that judged; 0: nothing could be judged
  double accuracy = 0, low = 0, high = 0;  // with the interval that holds the truth 95 times of 100
  int32_t majority_class = -1;             // the largest class among those rows
  double majority_share = 0;               // its part: the accuracy of always saying so
  double baseline = -1;                    // of logistic regression on the same rows; -1: not known
};

// A fitted model, with all that fit() and keep_data() put into it.
struct Model {
  Config config;                    // as asked, with k, epochs and scaling resolved
  int64_t folds = 1;                // trainings with other labels held back that are joined in it
  std::vector<int32_t> train, val;  // the rows whose labels were seen; in folds all are in train
  std::vector<int32_t> held_back;   // in folds: of each row the class its own fold says, or -1
  Estimate estimate;
  std::vector<EpochReport> history;  // every epoch
  int64_t best_epoch = 0;            // the epoch that all of the below belong to
  std::vector<std::string> tried;  // best mode: the modules that the history tells of, of each fold
  std::vector<std::string> left_out;       // and those that an earlier model spared it
  std::vector<float> held_back_certainty;  // in folds: the probability of the class held_back says

  std::vector<FittedModule> modules;
  std::vector<NamedMatrix> parameters;  // of the network in paper mode: "network.a", ...
  std::shared_ptr<const FittedViews>
      views;             // that the modules read; null: the features as they are
  Matrix probabilities;  // N x C, the prediction
  // How much more common each class is among the rows without a label than among the labelled ones,
  // by which their probabilities and those of new rows are weighed; empty: not known to differ.
  std::vector<float> class_factors;
  bool has_graph = false;  // given with the data
  Matrix network;          // (M + 1) x (M + 1), the aggregation module last
  Csr fused_graph;         // of all modules; each row sums to 1

  // What the data were; fit() leaves these to keep_data().
  std::string dataset;
  std::vector<std::string> feature_names, class_names;
  std::vector<std::string> row_ids;  // empty: row numbers
  std::vector<std::string> notes;    // what the reader found and did
  std::vector<int32_t> labels;       // of all rows, -1 where unknown
  std::vector<int32_t> test;         // rows that only judge
  Features features;                 // as fit() saw them
  TablePlan plan;                    // prepares new rows alike
  std::string caller_data;  // a caller's own words, which the library keeps but does not read

  // The parameter of this name; kUsage if there is none.
  const Matrix& parameter(const std::string& name) const;
  // The same, or null.
  const Matrix* find_parameter(const std::string& name) const;
};

// Puts into a fitted model what new rows, explanations and reports need of its data. The features
// are those fit() was given.
void keep_data(Model& model, Dataset dataset, const Split& split);

// The rows whose labels judged: the validation rows, or in folds all that one of them held back.
std::vector<int32_t> validated_rows(const Model& model);
// How many of the modules that were trained are in the network, by one answer of theirs or by
// several.
int64_t kept_modules(const Model& model);

// How common the classes seem to be among the rows without a label; empty: as among the labelled.
std::vector<double> class_shares(const Model& model);

// N_agg,m of each module, made to sum 1 in size: how much each graph counts.
std::vector<double> module_weights(const Model& model);

// sum over modules of |N_agg,m| |s_m|, largest 1: how much each feature counts.
std::vector<double> feature_weights(const Model& model);

// The most probable class of each row.
std::vector<int32_t> predicted_classes(const Matrix& probabilities);

// The part of `rows` whose predicted class is their label.
double accuracy(const Matrix& probabilities, const std::vector<int32_t>& labels,
                const std::vector<int32_t>& rows);

// Written beside, synced and renamed; checksummed. Reading a file that is not whole, not ours, or
// of another version throws kData with the reason.
void save_model(const Model& model, const std::string& path);
Model load_model(const std::string& path);  // reads what save_model() wrote

}  // namespace glgnn
