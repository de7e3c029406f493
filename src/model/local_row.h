// One row and what it hangs on, with parts of either left out: what explanations ask.
#pragma once

#include <cstdint>
#include <vector>

#include "model/frozen_model.h"

namespace glgnn {

// Weights from 0 (left out) to 1 (there) of a row's edges and features. All features of a column of
// a table are left out together.
struct Masks {
  std::vector<float> edges, features;
};

class LocalRow {
 public:
  // A fitted row with its learned edges.
  LocalRow(const FrozenModel& frozen, int32_t row);
  // A new row with its links to the fitted ones.
  LocalRow(const FrozenModel& frozen, const Features& row);

  // The rows at the other end of an edge in any module's graph, ascending.
  const std::vector<int32_t>& neighbours() const { return neighbours_; }
  // The features that can be left out: all of a dense row, those stored in a sparse one. Of those
  // that come from one column the one that is set stands for all.
  const std::vector<int32_t>& features() const { return shown_; }
  // Before the row was divided by its length or sum.
  float value(size_t feature) const { return shown_values_[feature] * size_; }
  // The module whose graph has the most weight on an edge.
  int32_t strongest_module(size_t edge) const;

  Masks all() const;
  Masks none() const;
  // Probabilities under each of the masks (one row each). A feature that is left out takes its mean
  // over all rows (zero in sparse rows), and edges lose the similarity that rested on it.
  Matrix predict(const std::vector<Masks>& masks) const;
  // Of each module: what part of the class's probability it gives.
  std::vector<double> module_parts(int32_t predicted) const;

 private:
  LocalRow(const FrozenModel& frozen, Features row, ModuleLinks links);
  void join_columns();
  Features masked_rows(const std::vector<Masks>& masks) const;

  const FrozenModel& frozen_;
  Features row_;
  ModuleLinks links_;
  bool is_labelled_ = false;
  std::vector<int32_t> neighbours_;
  std::vector<int32_t> features_, part_;  // all that the row has, and which of shown_ it belongs to
  std::vector<float> values_, absent_;
  std::vector<int32_t> shown_;
  std::vector<float> shown_values_;
  float size_ = 1;  // by which scaling divided the row
};

}  // namespace glgnn
