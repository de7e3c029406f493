// How accurate the model will be on rows whose labels nobody has shown it.
//
// The validation rows chose the stages, the epochs and the modules, so the accuracy on them
// flatters. Bootstrap bias-corrected cross-validation (Tsamardinos, Greasidou and Borboudakis,
// Machine Learning 107, 2018) needs no further training: draw as many of the held-back rows as
// there are, with replacement; choose and join by the rows drawn; judge by those that were not;
// many times.
#pragma once

#include <glgnn/model.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "network/held_back.h"

namespace glgnn {

// Rows of all folds, one fold after another, that were drawn so many times (and count as much as
// they do in the choice), and what they chose.
struct Drawing {
  std::vector<double> times;
  std::vector<Chosen> chosen;  // of each fold

  // Calls visit(fold, row of the fold, what the chosen network says of it) for each row that was
  // not drawn.
  void judge_rest(
      const std::vector<HeldBack>& held, int64_t classes,
      const std::function<void(size_t, size_t, const std::vector<double>&)>& visit) const;
};

// `members`: how many modules the network joins in each fold; `counts`: how much each row counts
// when they are chosen (empty: all alike). None without rows that were held back.
std::vector<Drawing> draw_and_choose(const std::vector<HeldBack>& held, int64_t members,
                                     uint64_t seed, const std::vector<double>& counts = {});

// `factors`: how much more common each class is where the model will be used than among the rows
// that judge (network/class_shares.h); empty: just as common. Without drawings there is no estimate
// (rows = 0).
Estimate estimate_accuracy(const std::vector<HeldBack>& held, const std::vector<Drawing>& drawings,
                           int64_t classes, const std::vector<float>& factors);

// The same where the held-back rows choose nothing but an epoch, by accuracy, then by likelihood
// (paper mode). Epochs are judged as they come, and none is kept.
class EpochEstimate {
 public:
  EpochEstimate(std::vector<int32_t> labels, uint64_t seed);

  // What the next epoch says of the held-back rows, V x C.
  void see(const Matrix& answers);
  // `baseline`: what logistic regression says of them, V x C.
  Estimate result(int64_t classes, const Matrix& baseline) const;

  // In checkpoints.
  template <class Archive, class E>
  static void walk(Archive& archive, E& e) {
    archive(e.right_);
    archive(e.rest_right_);
  }
  // Throws kData unless what was read is of these rows.
  void check() const;

 private:
  std::vector<int32_t> labels_;
  std::vector<std::vector<uint8_t>> times_;  // how often each drawing has each row
  // Of the best epoch so far by the rows of each drawing, and how many of the others it has right.
  std::vector<double> right_, rest_right_;
};

// Sets low and high: the interval that holds the truth 95 times of 100, where `rows` rows judged.
void set_interval(Estimate& estimate, double rows);

}  // namespace glgnn
