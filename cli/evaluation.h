// A dataset's test accuracy over several runs, with settings chosen by validation labels only.
#pragma once

#include <glgnn/config.h>
#include <glgnn/context.h>
#include <glgnn/dataset.h>
#include <glgnn/trainer.h>

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dist/ranks.h"
#include "methods/method.h"
#include "studies.h"

namespace glgnn::cli {

// What each run may choose from: "mu1=0,0.1" is one choice with two values.
struct Choice {
  std::string name;
  std::vector<std::string> values;
};

using Assignments = std::vector<std::pair<std::string, std::string>>;

// One run's data split and seed.
struct RunPlan {
  Split split;
  uint64_t seed = 0;
};

// One training: what it was tried with, and how it did on validation.
struct Trial {
  Assignments assignments;
  double val_accuracy = 0, val_loss = 0, seconds = 0;
  int64_t best_epoch = 0, epochs = 0;
  int64_t tried = 0;  // best mode: modules tried

  int64_t shown_epoch() const { return tried > 0 ? tried : best_epoch; }
};

struct RunResult {
  std::vector<Trial> trials = {};
  size_t chosen = 0;           // the trial with the best validation accuracy, then the lower loss
  double test_accuracy = 0;    // of the chosen trial
  double macro_f1 = 0;         // of the chosen trial, on the test rows
  double hidden_accuracy = 0;  // on rows that training has not seen at all (--hide)
  int64_t hidden = 0;          // how many of those there were
  double seconds = 0;          // of all trials together
  double peak_memory_mb = 0;   // of the program that ran it, until then
  NoiseResult noise = {};      // of the chosen trial; zeros without noise
  double column_auc = -1;      // judge_columns(); below 0: nothing weighs columns, or none is noise
  Curves curves = {};          // of the studies that were asked for
  std::string commit = {};     // of the program that ran it

  const Trial& best() const { return trials[chosen]; }
};

// What is asked beside the data, the splits and the settings.
struct Question {
  bool with_graph = false;
  double noise = 0;                            // probability of a wrong edge between two rows
  double hide = 0;                             // part of the rows that training does not see
  int64_t planted = 0;                         // columns of noise, the last ones
  bool convergence = false, deletion = false;  // what studies.h draws, in paper mode
  const Method* method = nullptr;              // a rival; null: ours
  int64_t budget = 1;                          // settings of the rival that each run tries
};

class Evaluation {
 public:
  // Called after each epoch with the epochs done so far in all runs; false stops.
  using OnEpoch = std::function<bool(size_t run, size_t trial, int64_t done, const EpochReport&)>;
  // Called after each run.
  using OnRun = std::function<void(size_t run)>;

  // The settings of every trial are checked here, before anything is trained.
  Evaluation(const Dataset& dataset, std::vector<RunPlan> plans, const Config& config,
             const std::vector<Choice>& choices, const Question& question);

  size_t runs() const { return plans_.size(); }
  size_t trials_per_run() const { return trials_.size(); }
  const Question& question() const { return question_; }
  const Assignments& assignments(size_t trial) const { return trials_[trial].assignments; }
  int64_t total_epochs() const;
  int64_t memory_needed() const;  // of one run

  // The settings common to all runs, resolved; scaling is `auto` where runs differ in it.
  const Config& config() const { return config_; }

  // Tells apart the data, the split and the seed of a run.
  uint64_t fingerprint_of(size_t run) const;

  // Does the runs that `results` (one for each) does not hold yet. In paper mode the threads take
  // one run each where memory allows; the results are the same. The callbacks are called one at a
  // time. Several ranks share the runs, and rank 0 gets all results. False when on_epoch stopped
  // it.
  bool run_all(std::vector<std::optional<RunResult>>& results, const Context& context, Ranks& ranks,
               const OnEpoch& on_epoch, const OnRun& on_run);
  // That is, of this run alone.
  void do_only(size_t run) { only_ = run; }

 private:
  struct Planned {
    Assignments assignments;
    Config config;             // resolved
    MethodValues values = {};  // of a rival
    Config given = {};         // as asked for: each run's split may decide what `auto` is
  };
  struct Fitted {
    Trial trial;
    Model model;  // of a rival: its probabilities alone
    bool interrupted = false;
  };
  using OnTrialEpoch = std::function<bool(size_t trial, const EpochReport&)>;

  // The data of one run: all rows, or those that are not hidden.
  struct Seen {
    Dataset kept = {};  // without the hidden rows; empty: the whole dataset is seen
    Split split = {};
    std::vector<int32_t> hidden = {};
  };

  Seen seen_by(size_t run) const;
  Features kept_features(const Seen& seen, Scaling scaling) const;
  void judge_hidden(RunResult& result, Model& best, const Seen& seen, Scaling scaling,
                    const Context& context) const;
  const Features& scaled(Scaling scaling);
  int runs_at_once(const Context& context, size_t left) const;
  Fitted fit_trial(const Planned& planned, const Problem& problem, uint64_t seed,
                   const Context& context,
                   const std::function<bool(const EpochReport&)>& on_epoch) const;
  bool run(size_t run, const Context& context, const OnTrialEpoch& on_epoch, RunResult& result);

  const Dataset& dataset_;
  std::optional<size_t> only_;
  std::vector<RunPlan> plans_;
  Config config_;
  std::vector<Planned> trials_;
  Question question_;
  std::mutex scaled_mutex_;
  std::map<Scaling, Features> scaled_;
};

// "mu1=0,0.1" as a choice; kUsage where it is none.
Choice parse_choice(const std::string& text);

// The runs of a dataset: its splits, or its one split with `count` seeds, or nothing.
std::vector<RunPlan> plan_runs(const Dataset& dataset, size_t count, uint64_t seed);

}  // namespace glgnn::cli
