// The frozen form of a model of paper mode.
#pragma once

#include "model/frozen_model.h"
#include "modules/comparison.h"
#include "modules/kinds.h"

namespace glgnn {

class PaperFrozen : public FrozenModel {
 public:
  PaperFrozen(const Model& model, const Context& context);

  std::vector<ModuleLinks> attach(const Features& rows) const override;
  ModuleLinks fitted_links(int32_t row) const override;
  Matrix predict(const Features& rows, std::span<const ModuleLinks> links) const override;
  std::vector<ModuleLinks> weaken(const ModuleLinks& links, const Features& original,
                                  const Features& changed) const override;
  std::vector<double> module_probabilities(const Features& row, const ModuleLinks& links,
                                           int32_t of_class) const override;
  const std::vector<double>& module_weights() const override { return weights_; }

 private:
  struct Module {
    Matrix first_weights;  // diag(s) W1
    const Matrix* second_weights;
    const Matrix *first_bias, *second_bias;  // empty: none
    Matrix first_input;                      // X diag(s) W1 of the fitted rows
    Matrix second_input;                     // relu(A' first_input) W2
    std::vector<float> degree;               // of the fitted rows, 1 / A'_jj
  };

  void add_module(const FittedModule& fitted);
  Matrix module_prediction(int64_t m, const Features& rows,
                           std::span<const ModuleLinks> links) const;
  RowLinks normalised(int64_t m, std::vector<Link> links) const;
  // The aggregation module's value for a row: that of its neighbours.
  void add_aggregation(float* logits, const ModuleLinks& links) const;

  int threads_;
  ComparedView view_;
  Matrix no_labels_;
  std::vector<Module> modules_;
  std::vector<Comparison> comparisons_;
  std::vector<double> weights_;
};

}  // namespace glgnn
