// One Gaussian for each class, one covariance for all.
#pragma once

#include <glgnn/config.h>
#include <glgnn/context.h>
#include <glgnn/csr.h>
#include <glgnn/trainer.h>

#include <functional>
#include <vector>

#include "modules/prototypes.h"

namespace glgnn {

struct GaussianOptions {
  static constexpr const char* kName = "gaussian";
  double shrink = 0.1;  // of the covariance towards a sphere
  int64_t iterations = 40;
  Smoothing smoothing = {};
  bool class_mass = false;          // scale the classes to their shares of the labels
  bool start_by_spreading = false;  // else from the nearest means

  std::vector<Stage> run_round(const RoundWork& work) const;
  void finish(KindState& state, const Matrix& p, const RoundWork& work) const;
  void describe(ModuleNote& note) const;
  bool is_left_out(const Config& config) const;
  void apply(const Config& config);

 private:
  Stage stage_of(Matrix p, const RoundWork& work) const;
};

// `rebuild`, if given, makes a new graph every five iterations from the rows in the coordinates
// that separate the classes best. `p` is the start and the result. `held`, if given, is x on the
// device, which then multiplies.
void gaussian_prototypes(Matrix& p, const Matrix& x, const Csr& graph, const Problem& problem,
                         const GaussianOptions& options,
                         const std::function<Csr(const Matrix& coordinates)>& rebuild,
                         const Context& context, const cuda::HeldMatrix* held = nullptr);

// Soft labels from the distance to the mean of each class's training rows.
Matrix nearest_means(const Matrix& x, const Problem& problem, int threads);

// The prototypes that soft labels give, as logits.
LinearHead gaussian_head(const Matrix& p, const Matrix& x, const Problem& problem,
                         const GaussianOptions& options, int threads,
                         const cuda::HeldMatrix* held = nullptr);

}  // namespace glgnn
