// The frozen form of a model of best mode.
#pragma once

#include <map>

#include "model/frozen_model.h"
#include "modules/comparison.h"
#include "modules/landmarks.h"
#include "modules/views.h"

namespace glgnn {

class BestFrozen : public FrozenModel {
 public:
  BestFrozen(const Model& model, const Context& context);

  std::vector<ModuleLinks> attach(const Features& rows) const override;
  ModuleLinks fitted_links(int32_t row) const override;
  Matrix predict(const Features& rows, std::span<const ModuleLinks> links) const override;
  std::vector<ModuleLinks> weaken(const ModuleLinks& links, const Features& original,
                                  const Features& changed) const override;
  std::vector<double> module_probabilities(const Features& row, const ModuleLinks& links,
                                           int32_t of_class) const override;
  const std::vector<double>& module_weights() const override { return weights_; }

 private:
  using RowViews = std::map<View, Features>;

  struct Module {
    const ModuleForm* form;
    const Matrix* p;                    // soft labels of the fitted rows
    const Matrix *w1, *b1, *w2, *b2;    // null: no layers
    const Matrix *prototypes, *shares;  // null: no prototypes, nor landmarks
    LandmarkHead landmarks;             // empty: none
    View input = View::kRaw, prototype_input = View::kRaw;
    std::vector<View> views;
    std::vector<Comparison> comparisons;  // one for each view
    std::vector<float> root_degree;       // of the fitted rows
  };

  void add_view(View view);
  void add_module(size_t m);
  // The rows in every view that a module reads.
  RowViews views_of(const Features& rows) const;
  RowLinks attach_to(const Module& module, const RowViews& rows, int64_t r,
                     const std::vector<std::vector<int32_t>>& nearest) const;
  std::vector<ModuleLinks> attach_once(const RowViews& rows, int64_t count,
                                       const Matrix& labels) const;
  Matrix own_logits(const Module& module, const RowViews& rows, int64_t count) const;
  Matrix module_prediction(size_t m, const RowViews& rows,
                           std::span<const ModuleLinks> links) const;
  Matrix predict_views(const RowViews& rows, std::span<const ModuleLinks> links) const;

  int threads_;
  std::map<View, ViewRule> rules_;
  std::map<View, Matrix> directions_;
  std::map<View, ComparedView> views_;  // stays where it is: comparisons point into it
  std::vector<Module> modules_;
  std::vector<double> weights_;
  std::vector<double> shares_;  // mean prediction: of rows that hang on nothing
};

}  // namespace glgnn
