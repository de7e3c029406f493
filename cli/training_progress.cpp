#include "training_progress.h"

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
}

Progress::State TrainingProgress::state_after(const EpochReport& report) {
  if (report.best || !best_) best_ = report;
  Progress::State state{.done = report.epoch};
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
