#include "training_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "train/pool_trainer.h"

namespace glgnn::cli {

TrainingProgress::TrainingProgress(const Problem& problem, const Config& config)
    : mode_(config.mode), validated_(!problem.val.empty()) {
  if (mode_ != Mode::kBest) return;
  std::vector<TimeLeft::Planned> planned;
  for (std::string& module : planned_modules(problem, config)) {
    const double rule = expected_seconds(module, problem);
    planned.push_back({std::move(module), rule});
  }
  left_.emplace(std::move(planned));
  folds_ = planned_folds(problem, config);
}

Progress::State TrainingProgress::state_after(const EpochReport& report) {
  if (report.best || !best_) best_ = report;
  Progress::State state{.done = report.epoch};
  if (folds_ > 1 && report.epoch < report.epochs) {
    const int64_t in_a_fold = (report.epochs - 1) / folds_;
    state.part =
        fmt::format("fold {} of {}", std::min(folds_, (report.epoch - 1) / in_a_fold + 1), folds_);
  }
  // A module has no other loss than that of its validation rows.
  state.loss = mode_ == Mode::kBest ? best_->loss : report.loss;
  if (validated_) state.val_accuracy = best_->val_accuracy;
  if (left_) {
    left_->finish(report.seconds);
    state.left = left_->seconds();
  }
  return state;
}

}  // namespace glgnn::cli
