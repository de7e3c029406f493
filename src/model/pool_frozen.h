// A model of a pool of modules, as new rows meet it.
#pragma once

#include <map>

#include "model/frozen_model.h"
#include "modules/comparison.h"
#include "modules/kinds.h"

namespace glgnn {

class PoolFrozen : public FrozenModel {
 public:
  PoolFrozen(const Model& model, const Context& context);

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
    const FittedModule* fitted;
    const PoolState* state;
    std::vector<Comparison> comparisons;  // one for each view
    std::vector<float> root_degree;       // of the fitted rows
  };

  void add_module(const FittedModule& fitted);
  RowLinks attach_to(const Module& module, const RowViews& rows, int64_t r,
                     const std::vector<std::vector<int32_t>>& nearest) const;
  std::vector<ModuleLinks> attach_once(const RowViews& rows, int64_t count,
                                       const Matrix& labels) const;
  Matrix module_prediction(size_t m, const RowViews& rows,
                           std::span<const ModuleLinks> links) const;
  Matrix predict_views(const RowViews& rows, std::span<const ModuleLinks> links) const;

  int threads_;
  std::map<View, ComparedView> views_;  // stays where it is: comparisons point into it
  std::vector<Module> modules_;
  std::vector<double> weights_;
  std::vector<double> shares_;  // mean prediction: of rows that hang on nothing
};

}  // namespace glgnn
