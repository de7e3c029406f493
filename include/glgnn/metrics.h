// How well predicted classes fit the labels, class by class.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace glgnn {

struct ClassMetrics {
  int64_t support = 0;    // rows of this class
  int64_t predicted = 0;  // rows taken for this class
  int64_t correct = 0;    // of both

  double precision() const;  // correct / predicted; 0 where nothing was predicted
  double recall() const;     // correct / support; 0 where there is no row
  double f1() const;         // the harmonic mean of both
};

// C x C counts: row is the label, column the prediction.
struct ConfusionMatrix {
  int64_t classes = 0;
  std::vector<int64_t> counts;

  // How many rows of this label were predicted so.
  int64_t at(int64_t label, int64_t predicted) const { return counts[label * classes + predicted]; }
};

// Counts the given rows; those whose label is unknown (-1) are left out.
ConfusionMatrix confusion_matrix(std::span<const int32_t> predicted,
                                 std::span<const int32_t> labels, std::span<const int32_t> rows,
                                 int64_t classes);

// One for each class.
std::vector<ClassMetrics> class_metrics(const ConfusionMatrix& confusion);

// Mean F1 of the classes that occur, as a label or as a prediction; 0 without rows.
double macro_f1(const ConfusionMatrix& confusion);

// Mean recall of the classes that have rows; 0 without rows.
double balanced_accuracy(const ConfusionMatrix& confusion);

}  // namespace glgnn
