// From the reports of a training to what is shown of it: the best so far, because a bad module
// after a good one takes nothing away from what will be kept (each fold has its own labels to
// validate, and so its own best); and the time that is left.
#pragma once

#include <glgnn/trainer.h>

#include <optional>

#include "progress.h"
#include "train/time_left.h"

namespace glgnn::cli {

class TrainingProgress {
 public:
  TrainingProgress(const Problem& problem, const Config& config);

  Progress::State state_after(const EpochReport& report);

 private:
  Mode mode_;
  bool validated_;
  int64_t folds_ = 1;
  std::optional<TimeLeft> left_;  // best mode; the epochs of paper mode are all alike
  std::optional<EpochReport> best_;
};

}  // namespace glgnn::cli
