// What was said of the rows that were held back, and the network that they choose where several
// folds hold back each its own.
#pragma once

#include <glgnn/matrix.h>

#include <array>
#include <cstdint>
#include <vector>

namespace glgnn {

// Labels that spread far over a graph leave all classes nearly alike: such answers tell which class
// is likelier, but not by how much. p_c^s / sum_c p_c^s with one of these s, which the held-back
// rows choose, says how much.
inline constexpr std::array<double, 6> kSharpness{1, 2, 4, 8, 16, 32};
void sharpen(float* p, int64_t classes, double sharpness);  // 1: to the bit as they are

// What one candidate said of the rows that were held back from it: a stage of a module, or all
// stages of it where the rows choose one.
struct HeldBackStage {
  std::vector<Matrix> looks;      // V x C each: every stage and check that the rows could choose
  double handicap = 0;            // handicap_of its module
  bool is_taught = false;         // it learned from answers that these rows chose
  int32_t group = 0, family = 0;  // of its module
  bool is_sharpened = false;      // by one of kSharpness; else it stays as it is
  // The mean of what it says of the rows without a label, for each sharpness that it may have.
  std::vector<std::vector<double>> others{};

  // How many of kSharpness, from the first, it may have.
  size_t choices() const { return is_sharpened ? kSharpness.size() : 1; }
};

// One fold: the rows that were held back, and what was said of them.
struct HeldBack {
  std::vector<int32_t> labels;
  std::vector<HeldBackStage> stages;  // the same ones in every fold
  Matrix baseline;                    // V x C, of logistic regression; empty: not known
  int64_t others = 0;                 // rows without a label
  bool is_drawn = false;              // any labelled row might have been held back
};

// One look at the rows of a fold.
struct Judged {
  std::vector<double> right;  // 1 where the answer is right
  // Its logarithm, clipped, for each sharpness that the candidate may have.
  std::vector<std::vector<double>> likelihood;

  Judged(const Matrix& p, const std::vector<int32_t>& labels, bool is_sharpened = false);
  // The mean score of the rows, each counted as often as `times` says; 0 if none is.
  double value(const double* times) const;
};

// The looks of each candidate of a fold.
using JudgedFold = std::vector<std::vector<Judged>>;
JudgedFold judge_fold(const HeldBack& held);

// The look that fits the rows best, the later one on a tie.
size_t best_look(const std::vector<Judged>& looks, const double* times);

// What a fold's network is made of.
struct Chosen {
  std::vector<size_t> look;       // of each candidate
  std::vector<double> weight;     // N_agg of each candidate; 0: no member
  std::vector<size_t> sharpness;  // of each candidate, a place in kSharpness
};

// Whether choose_over_folds() chooses: of one fold alone where its rows were drawn, and are enough
// for a mixture.
bool choose_together(const std::vector<HeldBack>& held);

// The network of all folds, each row counted as often as `times` says (those of all folds, one
// after another): the same members and weights in every fold. Each group starts alike, and a
// candidate counts by the likelihood of all labels that were held back from it.
std::vector<Chosen> choose_over_folds(const std::vector<HeldBack>& held,
                                      const std::vector<JudgedFold>& judged,
                                      const std::vector<double>& times, size_t members,
                                      bool with_taught);

}  // namespace glgnn
