// What the methods trained by gradient share: the input layer, Adam, weight decay, dropout, and the
// epoch that validation likes best.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "methods/method.h"
#include "ops/ops.h"

namespace glgnn {

// One forward pass; the random numbers of a layer are its own in every epoch.
struct NetworkPass {
  uint64_t seed = 0;
  int64_t epoch = 0;
  float dropout = 0;  // 0 unless training

  Rng numbers(uint32_t layer) const {
    return {seed, Stream::kDropHidden, layer, static_cast<uint32_t>(epoch)};
  }
};

// Glorot and Bengio's uniform start; `number` tells the parameters of one network apart.
Parameter start_weights(const std::string& name, int64_t rows, int64_t cols, uint64_t seed,
                        uint32_t number);

// The features as the first layer's input.
class InputRows {
 public:
  // The features must outlive this.
  explicit InputRows(const Features& x);

  int64_t cols() const { return x_.cols(); }
  // Of dense features N x F, of sparse ones their entries.
  const Matrix& numbers() const { return x_.is_sparse ? values_ : x_.dense; }
  // drop(X) w
  Var times(Tape& tape, Var w, const NetworkPass& pass, uint32_t layer) const;
  // The same with other numbers in place of numbers(), nothing dropped.
  Var times(Tape& tape, Var w, const Matrix& numbers) const;
  // Column f times s_f, each row of length 1.
  RowsVar weighted(Tape& tape, Var s) const;

 private:
  const Features& x_;
  std::shared_ptr<const Transpose> by_column_;  // of sparse features
  Matrix values_, no_labels_;
};

// A loss that is known by its gradient in x.
void add_gradient(Tape& tape, Var x, Matrix gradient);

// One step of Adam on each; `step` counts from 1. Their gradients are zero then.
void step_all(std::span<Parameter* const> parameters, double rate, int64_t step);

// A graph of a pass, to be kept.
Csr copy_of(const SparseVar& graph);

struct Network {
  std::vector<Parameter*> parameters = {}, decayed = {};      // those with weight decay are in both
  std::function<Var(Tape&, const NetworkPass&)> logits = {};  // N x C
  // Other losses, what is done after each step, the graph of the last pass; or none of these.
  std::function<void(Tape&, const NetworkPass&, Var logits)> extra = {};
  std::function<void()> after_step = {};
  std::function<SparseVar()> graph = {};
  const Matrix* taught = nullptr;  // probabilities that teach every row, instead of the labels
};

// Reads the settings of training_settings(). Keeps the epoch with the best validation accuracy,
// then the lower validation loss; without validation rows the last one.
MethodAnswer train_network(const Network& network, const MethodTask& task);

// learning_rate, weight_decay, dropout and epochs, with these starts.
struct TrainingStart {
  double learning_rate = 0.01, weight_decay = 5e-4, dropout = 0.5, epochs = 200;
};
std::vector<MethodSetting> training_settings(const TrainingStart& start = {});

// One list of settings after another.
std::vector<MethodSetting> operator+(std::vector<MethodSetting> a,
                                     const std::vector<MethodSetting>& b);

}  // namespace glgnn
