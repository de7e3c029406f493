#include "progress.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "text.h"
#include "train/trainers.h"

namespace glgnn::cli {
namespace {

constexpr auto kBetweenRedraws = std::chrono::milliseconds(100);
constexpr auto kBetweenLines = std::chrono::seconds(5);
constexpr size_t kWidestBar = 24, kNarrowestBar = 6;

}  // namespace

Progress::Progress(int64_t total, bool quiet)
    : total_(total),
      quiet_(quiet),
      on_terminal_(is_terminal(stderr)),
      start_(Clock::now()),
      last_draw_(start_) {}

void Progress::update(const State& state) {
  if (!first_) first_ = state.done - 1;
  state_ = state;
  if (quiet_) return;
  shown_ = false;
  const auto now = Clock::now();
  const bool due = now - last_draw_ >= (on_terminal_ ? Clock::duration(kBetweenRedraws)
                                                     : Clock::duration(kBetweenLines));
  if (!due) return;
  last_draw_ = now;
  shown_ = true;
  if (on_terminal_) {
    fmt::print(stderr, "\r{}\x1b[K", bar_line());
    drawn_ = true;
  } else {
    fmt::print(stderr, "{}\n", plain_line());
  }
  std::fflush(stderr);
}

void Progress::clear() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
  drawn_ = false;
}

void Progress::finish() {
  if (quiet_ || !first_) return;
  if (on_terminal_) {
    fmt::print(stderr, "\r{}\x1b[K\n", bar_line());
  } else if (!shown_) {
    fmt::print(stderr, "{}\n", plain_line());
  }
  quiet_ = true;
}

void Progress::vanish() {
  clear();
  quiet_ = true;
}

void Progress::dismiss() {
  clear();
  if (on_terminal_) quiet_ = true;
  finish();
}

double Progress::seconds_since_start() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::string Progress::time_text() const {
  const double seconds = seconds_since_start();
  if (state_.done >= total_) return duration_text(seconds);
  if (state_.left) return duration_text(*state_.left) + " left";
  const double each = seconds / static_cast<double>(state_.done - *first_);
  return duration_text(each * static_cast<double>(total_ - state_.done)) + " left";
}

std::string Progress::numbers(size_t room) const {
  // What a narrow terminal has no room for is left out, in this order; the time stays.
  enum Without { kNothing, kLoss, kPart, kAccuracy };
  const auto text_without = [&](int without) {
    std::string text = fmt::format("{}/{}", state_.done, total_);
    if (without < kPart && !state_.part.empty()) text += "  " + state_.part;
    if (without < kLoss && state_.loss) text += fmt::format("  loss {:.4f}", *state_.loss);
    if (without < kAccuracy && state_.val_accuracy) {
      text += state_.done < total_ ? "  best validation " : "  validation ";
      text += percent(*state_.val_accuracy);
    }
    return text + "  " + time_text();
  };
  int without = kNothing;
  while (without < kAccuracy && text_width(text_without(without)) > room) ++without;
  return text_without(without);
}

std::string Progress::plain_line() const {
  return label_ + "  " + numbers(std::numeric_limits<size_t>::max());
}

std::string Progress::bar_line() const {
  const Paint paint(stderr);
  // One column stays free: a full line would wrap and could not be redrawn.
  const size_t screen = terminal_width(stderr) - 1;
  const size_t before = text_width(label_) + 2;
  const std::string right = numbers(std::max(screen, before) - before);
  const size_t others = text_width(label_) + text_width(right) + 4;
  if (others + kNarrowestBar > screen) {
    const std::string line = label_ + "  " + right;
    return line.substr(0, std::min(line.size(), screen));
  }
  const size_t width = std::min(kWidestBar, screen - others);
  const auto full =
      static_cast<size_t>(state_.done * static_cast<int64_t>(width) / std::max<int64_t>(1, total_));
  return label_ + "  " + paint.green(std::string(std::min(full, width), '#')) +
         paint.faint(std::string(width - std::min(full, width), '-')) + "  " + right;
}

TrainingProgress::TrainingProgress(const Problem& problem, const Config& config, int threads)
    : mode_(config.mode), validated_(!problem.val.empty()) {
  if (mode_ != Mode::kBest) return;
  std::vector<TimeLeft::Planned> planned;
  for (std::string& module : planned_modules(problem, config, threads)) {
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
