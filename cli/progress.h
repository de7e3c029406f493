// How far a long command is: a bar that redraws in place on a terminal, a plain line now and then
// elsewhere. On the standard error, so that results can be piped.
#pragma once

#include <glgnn/trainer.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "train/time_left.h"

namespace glgnn::cli {

class Progress {
 public:
  struct State {
    int64_t done = 0;
    std::string part{};  // of the work: "fold 2 of 5"
    std::optional<double> loss{};
    std::optional<double> val_accuracy{};  // the best so far
    std::optional<double> left{};          // seconds; without it all steps are taken for alike
  };

  // `total` steps of everything; nothing is drawn when `quiet`.
  Progress(int64_t total, bool quiet);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void label(std::string text) { label_ = std::move(text); }
  void update(const State& state);

  // Takes the bar off the screen, so that something can be printed in its place.
  void clear();

  // Leaves the last state on the screen. Nothing is drawn afterwards.
  void finish();

  // Leaves nothing on a terminal, and prints no last line elsewhere.
  void vanish();

  // As finish(), but a terminal shows nothing any more.
  void dismiss();

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_since_start() const;
  std::string time_text() const;
  std::string numbers(size_t room) const;  // in so many columns, if that can be
  std::string plain_line() const;
  std::string bar_line() const;

  int64_t total_;
  bool quiet_;
  bool on_terminal_;
  std::string label_ = "training";
  State state_;
  std::optional<int64_t> first_;  // steps done before the first one seen: a resumed run's
  bool drawn_ = false, shown_ = false;
  Clock::time_point start_, last_draw_;
};

// From the reports of a training to what is shown of it: the best so far, because a bad module
// after a good one takes nothing away from what will be kept (each fold has its own labels to
// validate, and so its own best); and the time that is left.

class TrainingProgress {
 public:
  TrainingProgress(const Problem& problem, const Config& config, int threads);

  Progress::State state_after(const EpochReport& report);

 private:
  Mode mode_;
  bool validated_;
  int64_t folds_ = 1;
  std::optional<TimeLeft> left_;  // best mode; the epochs of paper mode are all alike
  std::optional<EpochReport> best_;
};

}  // namespace glgnn::cli
