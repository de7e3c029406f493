// Which edges and features matter to a row's prediction, how a set of them is judged, and the
// smallest set that keeps the prediction.
#pragma once

#include <vector>

#include "model/local_row.h"

namespace glgnn {

// How much each edge and feature of a row speaks for the predicted class.
struct Importance {
  std::vector<double> edges, features;
};

struct Fidelity {
  double plus = 0;      // probability lost without the set
  double minus = 0;     // probability lost with nothing but the set
  double sparsity = 0;  // the part of edges and features that is not in it
};

// Asks the local row about one class: the one it predicts.
class Judge {
 public:
  explicit Judge(const LocalRow& row);

  int32_t predicted() const { return predicted_; }
  double probability() const { return probability_; }
  // The predicted class's probability under each of the masks.
  std::vector<double> ask(const std::vector<Masks>& masks) const;
  // Whether the class stays the most probable one and keeps nine tenths of its probability.
  bool keeps(const Masks& masks) const;
  Fidelity fidelity(const Masks& set) const;

 private:
  const LocalRow& row_;
  int32_t predicted_ = 0;
  double probability_ = 0;
};

// Each edge and feature in turn: the mean of the probability that is lost without it and of what it
// wins alone. Either by itself misses much: of two that say the same, neither is missed.
Importance importance_of(const LocalRow& row, const Judge& judge);

// Everything of importance in descending order until the prediction is kept, less what turns out
// not to be needed, the least important first. The most important edge and feature stay.
Masks smallest_set(const LocalRow& row, const Judge& judge, const Importance& importance);

// The most important so many edges and features.
Masks most_important(const LocalRow& row, const Importance& importance, size_t edges,
                     size_t features);

}  // namespace glgnn
