// The landmark head: every row is linked to all labelled rows, the landmarks, by a similarity whose
// feature weights are learned. It sees curved borders between classes, and no row is far from a
// label.
//
//   f(x)_c = sum_t links_tc exp(-1/2 |s * (x - x_t)|^2) + x . w_c + b_c,   p = softmax(f)
//
// s and the sizes of the two parts are those under which the labels, taken for numbers 0 and 1, are
// likeliest in a Gaussian process; the links are logistic regression on the similarities, taught by
// at most kMostTeachers training rows. Cost O(T^3) for T landmarks, at most kMostLandmarks, and O(N
// T F) for the rows.
#pragma once

#include <glgnn/config.h>
#include <glgnn/matrix.h>
#include <glgnn/trainer.h>

#include <span>
#include <vector>

#include "modules/prototypes.h"

namespace glgnn {

inline constexpr int64_t kMostLandmarks = 1000;
inline constexpr int64_t kMostTeachers = 4000;  // training rows from which the links are learned

struct LandmarkOptions {
  static constexpr const char* kName = "landmarks";
  bool curved = true;   // else the linear part alone: logistic regression
  bool selects = true;  // a weight of its own for each feature; else one for all
  Smoothing smoothing = {};

  std::vector<Stage> run_round(const RoundWork& work) const;
  void finish(KindState&, const Matrix&, const RoundWork&) const {}
  void describe(ModuleNote& note) const;
  bool is_left_out(const Config& config) const;
  void apply(const Config& config);
};

struct LandmarkHead {
  Matrix landmarks;  // T x F
  Matrix weights;    // 1 x F, s
  Matrix links;      // T x C
  LinearHead linear;
};

struct LandmarkState {
  static constexpr bool kInLogits = false;
  View input = View::kRaw;
  LandmarkHead head;

  template <class Archive, class State>
  static void walk(Archive& archive, State& state) {
    walk_view(archive, state.input);
    archive(state.head.landmarks);
    archive(state.head.weights);
    archive(state.head.links);
    LinearHead::walk(archive, state.head.linear);
  }
  void check(const std::string& what, const StateShape& fitted) const;
  void add_views(std::set<View>& views) const { views.insert(input); }
  Matrix logits(const RowViews& rows) const;
};

// Learned from the training rows of x, which is dense.
LandmarkHead fit_landmarks(const Features& x, const Problem& problem,
                           const LandmarkOptions& options, int threads = 1);

// f of each row of x.
Matrix landmark_logits(const LandmarkHead& head, const Matrix& x, int threads);
Matrix landmark_logits(const LandmarkHead& head, const cuda::HeldMatrix& x);

// What is learned, as logarithms: a squared weight for the features of each origin, then the sizes
// of the curved part, of the noise in the labels, and of the linear part.
struct LandmarkEvidence {
  std::vector<float> points;      // T x F
  std::vector<double> target;     // T x C, 1 at the label and 0 elsewhere, less the classes' shares
  std::vector<double> share;      // of each class
  std::vector<double> trust;      // how much each row counts
  std::vector<int32_t> origin{};  // of each feature: those of one column of a table share a weight
  int64_t rows = 0, features = 0, classes = 0;

  int64_t origins() const { return origin.empty() ? 0 : origin.back() + 1; }

  // The logarithm of the labels' likelihood, up to a constant, less the sum of the squared feature
  // weights (smooth borders first). `gradient` is set.
  double value(std::span<const double> sizes, std::span<double> gradient) const;
};

}  // namespace glgnn
