// Class prototypes by expectation-maximisation: closed-form heads over a module's graph.
//
// Both repeat: M-step, the classes' prototypes from the present soft labels; E-step, soft labels
// from the prototypes, propagated over the graph; training rows keep their labels.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/dataset.h>
#include <glgnn/trainer.h>

#include <functional>
#include <vector>

namespace glgnn {

// Propagation in the E-step; no steps: the graph is not used.
struct Smoothing {
  int64_t steps = 2;
  double alpha = 0.2;
};

struct GaussianOptions {
  double shrink = 0.1;  // of the covariance towards a sphere
  int64_t iterations = 40;
  Smoothing smoothing;
  bool class_mass = false;
};

// One Gaussian for each class, one covariance for all. `rebuild`, if given, makes a new graph every
// five iterations from the rows in the coordinates that separate the classes best.
// `p` is the start and the result.
void gaussian_prototypes(Matrix& p, const Matrix& x, const Csr& graph, const Problem& problem,
                         const GaussianOptions& options,
                         const std::function<Csr(const Matrix& coordinates)>& rebuild, int threads);

// Soft labels from the distance to the mean of each class's training rows.
Matrix nearest_means(const Matrix& x, const Problem& problem, int threads);

// Logits that are linear in a row: x weights + offset.
struct LinearHead {
  Matrix weights;  // F x C
  Matrix offset;   // 1 x C
};

// The prototypes that soft labels give, as logits.
LinearHead gaussian_head(const Matrix& p, const Matrix& x, const Problem& problem,
                         const GaussianOptions& options, int threads);

struct MultinomialOptions {
  double pseudo_count = 0.3;     // added to every feature of a class
  double unlabelled_weight = 1;  // of rows outside training, against 1
  double temperature = 1;
  double scale = 1;  // of the features
  int64_t iterations = 8;
  Smoothing smoothing;
};

// A distribution over features for each class; features count as words do. Returns the iteration
// that fits the validation rows best. `start` may be empty: the labels. What every iteration said
// of the validation rows is added to `looks`, if given.
Matrix multinomial_prototypes(const Matrix& start, const Features& x, const Csr& graph,
                              const Problem& problem, const MultinomialOptions& options,
                              int threads, std::vector<Matrix>* looks = nullptr);

// The prototypes that soft labels give, as logits.
LinearHead multinomial_head(const Matrix& p, const Features& x, const Csr& graph,
                            const Problem& problem, const MultinomialOptions& options, int threads);

}  // namespace glgnn
