// Search over the modules of best mode: every trial is a draw of train/space.h, scored by the
// validation labels alone; the best are joined as fit() joins its modules.
#pragma once

#include <glgnn/trainer.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "modules/soft_labels.h"

namespace glgnn {

// kShort: a third of the epochs and one round, to choose what is worth more.
enum class SearchStage { kShort, kFull };

struct TrialReport {
  int64_t trial = 0;  // number of the draw
  SearchStage stage = SearchStage::kFull;
  std::string module;  // describe() of what was drawn
  Score score;
  double seconds = 0;
};

inline constexpr int64_t kMostTrials = 10000;

struct SearchOptions {
  int64_t trials = 100;
  double seconds = std::numeric_limits<double>::infinity();  // no trial begins later
  bool halving = false;  // trained heads first kShort; the better third of them again in full
  std::vector<TrialReport> known;                    // of an earlier search: not run again
  std::function<bool(const TrialReport&)> on_trial;  // one call at a time; false: stop
};

struct SearchMember {
  int64_t trial = 0;
  double weight = 0;
  std::string module;
};

struct SearchResult {
  bool stopped = false;              // on_trial said so: nothing is joined
  bool cut_short = false;            // `seconds` left some out
  int64_t done = 0;                  // trials that have a score, short or full
  std::vector<TrialReport> ranking;  // those that count, the best first
  std::vector<SearchMember> members;
  Matrix p;     // of the members together
  Score score;  // of p
};

// The result is a function of data, settings and trials, unless `seconds` cuts it short: the same
// for any number of threads and after any interruption. More trials go on with the same list.
SearchResult search_modules(const Problem& problem, const Config& config, const Context& context,
                            const SearchOptions& options);

// How many scores a whole search has, those that are known included.
int64_t planned_scores(const Problem& problem, const Config& config, const SearchOptions& options);

// Bytes that search_modules() will need at the most, on two threads.
int64_t estimate_search_memory(const Problem& problem, const Config& config);

}  // namespace glgnn
