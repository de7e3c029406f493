// A distribution over features for each class; features count as words do.
#pragma once

#include <glgnn/config.h>
#include <glgnn/csr.h>
#include <glgnn/dataset.h>
#include <glgnn/trainer.h>

#include <vector>

#include "modules/prototypes.h"

namespace glgnn {

struct MultinomialOptions {
  static constexpr const char* kName = "multinomial";
  double pseudo_count = 0.3;     // added to every feature of a class
  double unlabelled_weight = 1;  // of rows outside training, against 1
  double temperature = 1;
  double scale = 1;  // of the features
  int64_t iterations = 8;
  Smoothing smoothing = {};

  std::vector<Stage> run_round(const RoundWork& work) const;
  void finish(KindState& state, const Matrix& p, const RoundWork& work) const;
  void describe(ModuleNote& note) const;
  bool is_left_out(const Config& config) const;
  void apply(const Config& config);
};

// Returns the iteration that fits the validation rows best. `start` may be empty: the labels. What
// every iteration said of the validation rows is added to `looks`, if given.
Matrix multinomial_prototypes(const Matrix& start, const Features& x, const Csr& graph,
                              const Problem& problem, const MultinomialOptions& options,
                              int threads, std::vector<Matrix>* looks = nullptr);

// The prototypes that soft labels give, as logits.
LinearHead multinomial_head(const Matrix& p, const Features& x, const Csr& graph,
                            const Problem& problem, const MultinomialOptions& options, int threads);

}  // namespace glgnn
